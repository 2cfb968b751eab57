#include "workloads/tbl/start.hpp"

#include "base/hash.hpp"
#include "workloads/tbl/blasius.hpp"
#include "workloads/tbl/orr_sommerfeld.hpp"

#include <cmath>
#include <cstdint>
#include <functional>
#include <numbers>

namespace waywiser::tbl {
namespace {

constexpr double two_pi = 2 * std::numbers::pi;

/// Initial thickness of the temporal boundary layer.
constexpr double layer_thickness = 1;

using Velocity = std::function<double(double x, double y, double z)>;

/// Sets a velocity component at its staggered positions, including the outflow of an open flow.
void set(Flow& flow, std::size_t component, const Velocity& velocity) {
    const Domain& domain = flow.domain;
    const Index3 n = domain.owned();
    for (Index k = 0; k < n[2]; ++k) {
        const double z = domain.spacing(2) * (static_cast<double>(domain.first(2) + k) + (component == 2 ? 1 : 0.5));
        for (Index j = 0; j < n[1]; ++j) {
            const Index row = domain.first(1) + j;
            const bool on_wall = component == 1 && row + 1 == domain.points(1) && !domain.open;
            const double y = component == 1 ? domain.wall_grid.face(row + 1) : domain.wall_grid.centre(row);
            double* out = flow.velocity[component].row(j, k);
            for (Index i = 0; i < n[0] + (domain.open ? 1 : 0); ++i) {
                const double x = domain.spacing(0) * (static_cast<double>(i) + (component == 0 ? 1 : 0.5));
                out[i] = on_wall ? 0 : velocity(x, y, z);
            }
        }
    }
}

/// Noise between -1 and 1 from the global number of a value, and so the same on any ranks. Source: S. Vigna,
/// "SplitMix64" (2015).
double noise(std::uint64_t number) { return static_cast<double>(splitmix(number + kGolden) >> 11U) * 0x1p-52 - 1; }

/// Adds noise in rows below a height.
void add_noise(Flow& flow, double amplitude, double below) {
    const Domain& domain = flow.domain;
    const Index3 n = domain.owned();
    for (std::size_t c = 0; c < 3; ++c) {
        for (Index k = 0; k < n[2]; ++k) {
            for (Index j = 0; j < n[1]; ++j) {
                const Index row = domain.first(1) + j;
                if ((c == 1 && row + 1 == domain.points(1)) || domain.wall_grid.centre(row) > below) continue;
                double* out = flow.velocity[c].row(j, k);
                for (Index i = 0; i < n[0]; ++i) {
                    const Index point = i + n[0] * (row + domain.points(1) * (domain.first(2) + k));
                    out[i] += amplitude * noise(static_cast<std::uint64_t>(3 * point) + c);
                }
            }
        }
    }
}

void start_wave(const Settings& s, Flow& flow) {
    const double alpha = two_pi / s.lengths[0];
    const OrrSommerfeld wave(alpha, s.reynolds);
    const auto phase = [alpha](double x) { return std::polar(1.0, alpha * x); };
    set(flow, 0, [&](double x, double y, double) {
        return laminar_start(s, y) + s.perturbation * (wave.along(y - 1) * phase(x)).real();
    });
    set(flow, 1, [&](double x, double y, double) { return s.perturbation * (wave.across(y - 1) * phase(x)).real(); });
}

void start_vortices(const Settings& s, Flow& flow) {
    const double along = two_pi / s.lengths[0];
    const double across = two_pi / s.lengths[2];
    set(flow, 0, [&](double x, double, double z) { return std::sin(along * x) * std::cos(across * z); });
    set(flow, 2,
        [&](double x, double, double z) { return -along / across * std::cos(along * x) * std::sin(across * z); });
}

/// Sets the inflow from profiles of u and v over the distance from the lower wall.
template <class Along, class Across>
void set_inflow(Flow& flow, Along along, Across across) {
    const Domain& domain = flow.domain;
    flow.inflow.fill([&](Index component, Index j, Index) {
        const Index row = domain.first(1) + j;
        if (row < 0 || row >= domain.points(1) || component < 0 || component > 1) return 0.0;
        return component == 0 ? along(domain.wall_grid.centre(row)) : across(domain.wall_grid.face(row + 1));
    });
}

void start_blasius(const Settings& s, Flow& flow) {
    const Blasius layer(s.reynolds);
    set(flow, 0, [&](double x, double y, double) { return layer.along(x, y); });
    set(flow, 1, [&](double x, double y, double) { return layer.across(x, y); });
    set_inflow(flow, [&](double y) { return layer.along(0, y); }, [&](double y) { return layer.across(0, y); });
}

/// The mean velocity of a turbulent layer of thickness 1, up to its edge. Source: H. Reichardt, Z. angew. Math. Mech.
/// 31 (1951).
class Turbulent {
public:
    explicit Turbulent(double reynolds) : reynolds_(reynolds) {
        for (int i = 0; i < 100; ++i) friction_velocity_ = 1 / in_wall_units(reynolds * friction_velocity_);
    }

    [[nodiscard]] double along(double y) const {
        return y >= 1 ? 1 : friction_velocity_ * in_wall_units(reynolds_ * friction_velocity_ * y);
    }

private:
    static double in_wall_units(double y) {
        return 2.5 * std::log(1 + 0.4 * y) + 7.8 * (1 - std::exp(-y / 11) - y / 11 * std::exp(-y / 3));
    }

    double reynolds_;
    double friction_velocity_ = 0.05;
};

/// Starts from a turbulent layer's mean, with vortices along the flow and noise in the layer.
void start_turbulent(const Settings& s, Flow& flow) {
    const Turbulent layer(s.reynolds);
    const double turns =
        two_pi * std::max(1.0, std::round(s.lengths[2])) / s.lengths[2];  // vortices as wide as the layer
    set(flow, 0, [&](double, double y, double) { return layer.along(y); });
    set(flow, 1, [&](double, double y, double z) {
        const double across = y < 1 ? std::sin(std::numbers::pi * y) : 0;
        return s.perturbation * across * across * std::cos(turns * z);
    });
    add_noise(flow, s.perturbation, 1);
    set_inflow(flow, [&](double y) { return layer.along(y); }, [](double) { return 0.0; });
}

/// Vortices along the flow, which draw energy from the mean profile, and noise.
void disturb(const Settings& s, Flow& flow) {
    const double height = s.lengths[1];
    set(flow, 1, [&](double, double y, double z) {
        const double across = std::sin(std::numbers::pi * y / height);
        return s.perturbation * across * across * std::cos(two_pi / s.lengths[2] * z);
    });
    add_noise(flow, s.perturbation, height);
}

}  // namespace

double laminar_start(const Settings& s, double y) {
    if (s.case_name == "poiseuille") return 0;
    // This profile solves Stokes' first problem at the time when the layer has its initial thickness.
    if (s.case_name == "temporal") return s.flow->wall_velocity * std::erfc(y / layer_thickness);
    const double parabola = y * (2 - y);
    return s.case_name == "channel" ? 1.5 * parabola : parabola;
}

void start(const Settings& s, Flow& flow) {
    if (s.case_name == "orr-sommerfeld") return start_wave(s, flow);
    if (s.case_name == "blasius") {
        start_blasius(s, flow);
        return add_noise(flow, s.perturbation, s.lengths[1]);
    }
    if (s.case_name == "spatial") return start_turbulent(s, flow);
    if (s.case_name == "taylor-green") {
        start_vortices(s, flow);
    } else {
        set(flow, 0, [&](double, double y, double) { return laminar_start(s, y); });
    }
    if (s.perturbation > 0) disturb(s, flow);
}

double gradient_force(const Settings& s) { return 2 * s.viscosity(); }

}  // namespace waywiser::tbl
