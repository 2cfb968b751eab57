#include "base/error.hpp"
#include "workloads/rupture/problem.hpp"

#include <numbers>

namespace waywiser::rupture {
namespace {

constexpr double wave_number = 2 * std::numbers::pi;
constexpr Material soft{.rho = 1, .lambda = 2, .mu = 1};
constexpr Material hard{.rho = 2, .lambda = 4, .mu = 6};

/// Appends lines from the last line to `end`. Their distance is (1 - stretch) times the mean distance at both ends, and
/// (1 + stretch) times in the middle.
void extend(std::vector<double>& lines, int cubes, double end, double stretch) {
    const double begin = lines.back();
    for (int i = 1; i <= cubes; ++i) {
        const double s = static_cast<double>(i) / cubes;
        lines.push_back(i == cubes ? end
                                   : begin + (end - begin) * (s - stretch * std::sin(wave_number * s) / wave_number));
    }
}

/// Adds a wave in direction u with polarisation d: v = d f, sigma = -(lambda (u d) I + mu (u d + d u)) f / c.
void add_wave(State& q, const Material& m, const Point& u, const Point& d, double c, double f) {
    const double across = u[0] * d[0] + u[1] * d[1] + u[2] * d[2];
    constexpr std::array<std::array<std::size_t, 2>, 6> pairs{{{0, 0}, {1, 1}, {2, 2}, {0, 1}, {1, 2}, {0, 2}}};
    for (std::size_t s = 0; s < 6; ++s) {
        const auto [i, j] = pairs[s];
        q[s] -= ((i == j ? m.lambda * across : 0) + m.mu * (u[i] * d[j] + u[j] * d[i])) * f / c;
    }
    for (std::size_t i = 0; i < 3; ++i) q[6 + i] += d[i] * f;
}

State plane_waves(const Point& x, double t) {
    State q{};
    const double root2 = std::numbers::sqrt2;
    const double root3 = std::numbers::sqrt3;
    const Point up{1 / root2, 0, 1 / root2};
    const Point us{0, 1 / root2, 1 / root2};
    add_wave(q, soft, up, up, soft.vp(), std::sin(wave_number * (x[0] + x[2] - root2 * soft.vp() * t)));
    add_wave(q, soft, us, {1 / root3, 1 / root3, -1 / root3}, soft.vs(),
             std::cos(wave_number * (x[1] + x[2] - root2 * soft.vs() * t)));
    return q;
}

/// State of two displacements: Lame's mode (sin kx sin kz, 0, cos kx cos kz) cos wt, and (0, cos kz cos w't, cos kz cos
/// w''t).
State standing_waves(const Point& x, double t) {
    const double lame = std::numbers::sqrt2 * wave_number * soft.vs();
    const double p = wave_number * soft.vp();
    const double s = wave_number * soft.vs();
    const double cx = std::cos(wave_number * x[0]);
    const double sx = std::sin(wave_number * x[0]);
    const double cz = std::cos(wave_number * x[2]);
    const double sz = std::sin(wave_number * x[2]);
    const double shear = 2 * soft.mu * wave_number * cx * sz * std::cos(lame * t);
    const double pressed = -wave_number * sz * std::cos(p * t);
    State q{};
    q[0] = shear + soft.lambda * pressed;
    q[1] = soft.lambda * pressed;
    q[2] = -shear + (soft.lambda + 2 * soft.mu) * pressed;
    q[4] = -soft.mu * wave_number * sz * std::cos(s * t);
    q[6] = -lame * sx * sz * std::sin(lame * t);
    q[7] = -s * cz * std::sin(s * t);
    q[8] = -lame * cx * cz * std::sin(lame * t) - p * cz * std::sin(p * t);
    return q;
}

constexpr double interface_x = 0.6;

double pulse(double distance) {
    constexpr double width = 0.06;
    return std::exp(-distance * distance / (width * width));
}

/// State of P and S pulses. At time 0, both are at x = 0.3 and move to the interface, where they split.
State pulses(const Point& x, double t) {
    const double from = x[0] - interface_x;
    State q{};
    for (const bool shear : {false, true}) {
        const double c1 = shear ? soft.vs() : soft.vp();
        const double c2 = shear ? hard.vs() : hard.vp();
        const double z1 = soft.rho * c1;
        const double z2 = hard.rho * c2;
        const double arrived = c1 * t - 0.3;
        const Point d = shear ? Point{0, 1, 0} : Point{1, 0, 0};
        if (from < 0) {
            add_wave(q, soft, {1, 0, 0}, d, c1, pulse(from - arrived));
            add_wave(q, soft, {-1, 0, 0}, d, c1, (z1 - z2) / (z1 + z2) * pulse(from + arrived));
        } else {
            add_wave(q, hard, {1, 0, 0}, d, c2, 2 * z1 / (z1 + z2) * pulse(from * c1 / c2 - arrived));
        }
    }
    return q;
}

}  // namespace

ClosedForm make_closed_form(const std::string& name, int cells, double stretch) {
    const auto homogeneous = [](const Point&) { return soft; };
    std::vector<double> whole{0};
    extend(whole, cells, 1, stretch);
    std::vector<double> thin{0};
    extend(thin, 3, 3.0 / cells, 0);
    constexpr std::array<FaceTag, 2> none{};
    ClosedForm form;
    form.problem = {.name = name, .material = homogeneous, .exact = plane_waves, .rupture = {}, .end_s = 0.25};
    form.box = {.lines = {whole, whole, whole}, .periodic = {true, true, true}, .sides = {}, .fault = {}};
    if (name == "planewave") return form;
    if (name == "surface") {
        form.problem.exact = standing_waves;
        form.box.lines[1] = thin;
        form.box.periodic[2] = false;
        form.box.sides = {none, none, {free_surface, free_surface}};
        return form;
    }
    require(name == "interface", "--case '" + name + "': expected planewave, surface, interface, tpv5 or tpv33");
    form.problem.material = [](const Point& x) { return x[0] < interface_x ? soft : hard; };
    form.problem.exact = pulses;
    form.problem.end_s = 0.3;
    std::vector<double> parted{0};
    extend(parted, 3 * cells / 5, interface_x, stretch);
    extend(parted, cells - 3 * cells / 5, 1, stretch);
    form.box.lines = {parted, thin, thin};
    form.box.periodic[0] = false;
    form.box.sides = {std::array{absorbing, absorbing}, none, none};
    return form;
}

}  // namespace waywiser::rupture
