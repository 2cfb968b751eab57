// SP: the approximate factorisation of BT with each Jacobian diagonalised, which leaves five scalar systems per line.
//
// Source: T. H. Pulliam, D. S. Chaussee, "A diagonal form of an implicit approximate-factorization algorithm", Journal
// of Computational Physics 39, 1981, pp. 347-363, whose normalisation the eigenvectors have.
#include "workloads/npb/physics.hpp"
#include "workloads/npb/pipeline.hpp"
#include "workloads/npb/schemes.hpp"

#include <cstring>
#include <numbers>

namespace waywiser::npb {
namespace {

/// Axis of a line, and the two axes that follow cyclically, as indices of three values.
struct Axes {
    explicit Axes(std::size_t axis) : normal(axis), next(normal < 2 ? normal + 1 : 0), last(next < 2 ? next + 1 : 0) {}
    std::size_t normal, next, last;
};

/// Amplitudes of the waves that travel with the flow (0 ... 2), with the flow plus the speed of sound (3), and with the
/// flow less the speed of sound (4).
Vector5 waves_of(const Flow<>& f, const Axes& axes, const Vector5& r) {
    const double c = std::sqrt(heat_ratio * f.work);
    std::array<double, 3> moved{};
    double along_flow = 0;
    for (std::size_t b = 0; b < 3; ++b) {
        moved[b] = (r[1 + b] - f.velocity[b] * r[0]) * f.volume;
        along_flow += f.velocity[b] * r[1 + b];
    }
    const double compressed = pressure_factor / (c * c) * (f.kinetic * r[0] - along_flow + r[4]);
    Vector5 waves{};
    waves[axes.normal] = r[0] - compressed;
    waves[axes.next] = moved[axes.last];
    waves[axes.last] = -moved[axes.next];
    const double sum = c * compressed * f.volume;
    waves[3] = (sum + moved[axes.normal]) / std::numbers::sqrt2;
    waves[4] = (sum - moved[axes.normal]) / std::numbers::sqrt2;
    return waves;
}

/// The inverse of `waves_of`.
Vector5 unknowns_of(const Flow<>& f, const Axes& axes, const Vector5& waves) {
    const double c = std::sqrt(heat_ratio * f.work);
    const double sum = (waves[3] + waves[4]) / (std::numbers::sqrt2 * c * f.volume);
    std::array<double, 3> moved{};
    moved[axes.normal] = (waves[3] - waves[4]) / (std::numbers::sqrt2 * f.volume);
    moved[axes.next] = -waves[axes.last] / f.volume;
    moved[axes.last] = waves[axes.next] / f.volume;
    Vector5 r{};
    r[0] = waves[axes.normal] + sum;
    r[4] = f.kinetic * r[0] + c * c / pressure_factor * sum;
    for (std::size_t b = 0; b < 3; ++b) {
        r[1 + b] = f.velocity[b] * r[0] + moved[b];
        r[4] += f.velocity[b] * moved[b];
    }
    return r;
}

/// A point's coefficients in a row of the systems.
struct Speeds {
    Speeds(const Vector5& u, std::size_t axis) : Speeds(Flow(u), axis) {}
    Speeds(const Flow<>& flow, std::size_t axis)
        : normal(flow.velocity[axis]),
          sound(std::sqrt(heat_ratio * flow.work)),
          diffusion(npb::diffusion[axis] + heat_conduction * viscosity * flow.volume) {}

    double normal;
    double sound;
    double diffusion;  ///< diffusion of the energy equation, which is the greatest of the five
};

/// A row after elimination, x(i) + e x(i+1) + f x(i+2) = r, for the waves with speeds u, u + c and u - c. The first
/// three right-hand sides belong to speed u.
struct Row {
    std::array<double, 3> e;
    std::array<double, 3> f;
    Vector5 r;
};

struct Rows {
    Row far, near;  ///< rows of the second point before and of the point before
};

class Pentadiagonal {
public:
    static constexpr bool as_bt = false;
    static constexpr Index kept_of_point = 6;
    static constexpr Index carried = sizeof(Rows) / sizeof(double);
    static constexpr Index returned = 2 * Field::unknowns;

    explicit Pentadiagonal(const Problem& problem) : dt_(problem.dt), differences_(problem.points()) {}

    static Index at_once() { return 1; }
    static Index kept(Index points) { return points * kept_of_point; }

    void forward(const Bundle& bundle, double* carry, double* kept_values) const {
        const Line& line = bundle.first;
        const Axes axes(line.axis);
        Rows two{};
        std::memcpy(&two, carry, sizeof(two));
        Speeds before(line.u_at(line.lo - 1), line.axis);
        Speeds here(line.u_at(line.lo), line.axis);
        for (Index i = line.lo; i < line.hi; ++i) {
            const Speeds after(line.u_at(i + 1), line.axis);
            const Vector5 waves = waves_of(Flow(line.u_at(i)), axes, line.rhs_at(i));
            const Row next = eliminate(before, here, after, line.first + i, line.points, two, waves);
            line.set_rhs(i, next.r);
            kept_values = std::ranges::copy(next.f, std::ranges::copy(next.e, kept_values).out).out;
            two = {two.near, next};
            before = here;
            here = after;
        }
        std::memcpy(carry, &two, sizeof(two));
    }

    void backward(const Bundle& bundle, const double* kept_values, double* carry) const {
        const Line& line = bundle.first;
        const Axes axes(line.axis);
        Vector5 near{};
        Vector5 far{};
        std::copy_n(carry, 5, near.begin());
        std::copy_n(carry + 5, 5, far.begin());
        for (Index i = line.hi - 1; i >= line.lo; --i) {
            const double* e = kept_values + (i - line.lo) * kept_of_point;
            const double* f = e + 3;
            const Vector5 r = line.rhs_at(i);
            Vector5 waves{};
            for (std::size_t m = 0; m < 5; ++m) waves[m] = r[m] - e[system_of(m)] * near[m] - f[system_of(m)] * far[m];
            line.set_rhs(i, unknowns_of(Flow(line.u_at(i)), axes, waves));
            far = near;
            near = waves;
        }
        std::ranges::copy(far, std::ranges::copy(near, carry).out);
    }

private:
    static std::size_t system_of(std::size_t wave) { return wave < 3 ? 0 : wave - 2; }

    [[nodiscard]] Row eliminate(const Speeds& before, const Speeds& here, const Speeds& after, Index at, Index points,
                                const Rows& two, const Vector5& waves) const {
        constexpr std::array<double, 3> signs{0, 1, -1};
        const Vector5 fourth = fourth_difference(at, points);
        Row next{};
        std::array<double, 3> far{};
        std::array<double, 3> near{};
        std::array<double, 3> pivot{};
        for (std::size_t s = 0; s < 3; ++s) {
            Vector5 row{};
            for (std::size_t n = 0; n < 5; ++n) row[n] = dt_ * dissipation * fourth[n];
            row[1] -= dt_ * (differences_.first * (before.normal + signs[s] * before.sound) +
                             differences_.second * before.diffusion);
            row[2] += 1 + 2 * dt_ * differences_.second * here.diffusion;
            row[3] += dt_ * (differences_.first * (after.normal + signs[s] * after.sound) -
                             differences_.second * after.diffusion);
            far[s] = row[0];
            near[s] = row[1] - row[0] * two.far.e[s];
            pivot[s] = 1 / (row[2] - row[0] * two.far.f[s] - near[s] * two.near.e[s]);
            next.e[s] = pivot[s] * (row[3] - near[s] * two.near.f[s]);
            next.f[s] = pivot[s] * row[4];
        }
        for (std::size_t m = 0; m < 5; ++m) {
            const std::size_t s = system_of(m);
            next.r[m] = pivot[s] * (waves[m] - far[s] * two.far.r[m] - near[s] * two.near.r[m]);
        }
        return next;
    }

    double dt_;
    Differences differences_;
};

}  // namespace

std::unique_ptr<Scheme> make_sp(Problem& problem) { return std::make_unique<Factorised<Pentadiagonal>>(problem); }

}  // namespace waywiser::npb
