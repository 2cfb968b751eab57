#include "workloads/tbl/report.hpp"

#include "workloads/common/text.hpp"
#include "workloads/common/version.hpp"

#include <cmath>

namespace waywiser::tbl {
namespace {

constexpr double divergence_allowed = 1e-12;
constexpr double residual_allowed = 1e-11;
constexpr double error_allowed = 1e-10;
constexpr double edge_allowed = 1e-3;

/// Allowed error of the growth rate of a wave: of second order, twice what was measured on 24 x 64 cells.
double growth_allowed(const Settings& s) {
    const double along = 24 / static_cast<double>(s.points[0]);
    const double across = 64 / static_cast<double>(s.points[1]);
    return 0.0001 * along * along + 0.0035 * across * across;
}

/// Allowed difference from Blasius' layer: of second order, and what boundary-layer equations neglect. About twice what
/// was measured.
double laminar_allowed(const Settings& s) {
    const double along = s.lengths[0] / static_cast<double>(s.points[0]);
    const double across = s.lengths[1] / static_cast<double>(s.points[1]);
    return 0.0002 * along * along + 0.02 * across * across + 0.1 / s.reynolds;
}

/// Allowed difference of the thickness that enters from 1: means are linear between rows.
double thickness_allowed(const Settings& s) { return 0.03 + 0.5 * s.lengths[1] / static_cast<double>(s.points[1]); }

/// NaN is not within any tolerance.
bool within(double value, double allowed) { return std::abs(value) <= allowed; }

double ns_per_point(const Measured& m) {
    return 1e9 * m.steps.median_s() / static_cast<double>(m.settings->all_points());
}

JsonObject parameters(const Measured& m) {
    const Settings& s = *m.settings;
    JsonObject object;
    return object.add("n1", s.points[0])
        .add("n2", s.points[1])
        .add("n3", s.points[2])
        .add("l1", s.lengths[0])
        .add("l2", s.lengths[1])
        .add("l3", s.lengths[2])
        .add("re", s.reynolds)
        .add("inviscid", s.inviscid)
        .add("dt", s.dt)
        .add("steps", s.steps)
        .add("stretching", s.stretching)
        .add("perturbation", s.perturbation)
        .add("drive", s.drive)
        .add("time", s.time_name)
        .add("decomposition", s.solver_name)
        .add("p1", m.ranks[0])
        .add("p2", m.ranks[1]);
}

JsonObject sections(const Sections& s) {
    JsonObject object;
    return object.add("velocity_solver_s", s.velocity_solver)
        .add("pressure_solver_s", s.pressure_solver)
        .add("update_s", s.update)
        .add("others_s", s.others);
}

JsonObject energy(const EnergyBudget& e) {
    JsonObject object;
    return object.add("kinetic_energy", e.kinetic_energy)
        .add("perturbation_energy", e.perturbation_energy)
        .add("dissipation", e.dissipation)
        .add("wall_power", e.wall_power)
        .add("force_power", e.force_power)
        .add("end_power", e.end_power)
        .add("convection_residual", e.convection_residual)
        .add("pressure_residual", e.pressure_residual)
        .add("viscosity_residual", e.viscosity_residual);
}

JsonObject layer(const Layer& l) {
    JsonObject object;
    return object.add("x", l.x)
        .add("displacement_thickness", l.displacement)
        .add("momentum_thickness", l.momentum)
        .add("friction_coefficient", l.friction);
}

JsonObject entering(const Entering& e) {
    JsonObject object;
    return object.add("friction_ratio", e.by.friction)
        .add("thickness_ratio", e.by.thickness)
        .add("thickness", e.thickness)
        .add("edge_velocity", e.edge);
}

JsonObject details(const Measured& m) {
    const Traffic bytes = traffic(m.settings->shape(), m.ranks);
    JsonObject object;
    return object.add("ns_per_point", ns_per_point(m))
        .add("sections", sections(m.sections))
        .add("divergence", m.divergence)
        .add("divergence_allowed", divergence_allowed)
        .add("momentum_residual", m.momentum_residual)
        .add("residual_allowed", residual_allowed)
        .add("kinetic_energy_at_start", m.kinetic_energy_at_start)
        .add("energy", energy(m.energy))
        .add("bulk_velocity", m.bulk_velocity)
        .add("shear_bottom", m.shear_bottom)
        .add("shear_top", m.shear_top)
        .add("growth", m.growth ? std::optional(m.growth->rate) : std::nullopt)
        .add("growth_expected", m.growth ? std::optional(m.growth->expected) : std::nullopt)
        .add("layer", m.layer ? std::optional(layer(*m.layer)) : std::nullopt)
        .add("laminar_error", m.laminar)
        .add("inflow", m.entering ? std::optional(entering(*m.entering)) : std::nullopt)
        .add("statistics", m.averages ? std::optional(statistics(*m.averages)) : std::nullopt)
        .add("transposed_bytes", bytes.transposed)
        .add("halo_bytes", bytes.halos)
        .add("inflow_bytes", bytes.inflow)
        .add("steps_s", m.steps.seconds());
}

}  // namespace

std::string heading(const Settings& s, const std::array<Index, 2>& ranks, int threads) {
    return report_title("ww-tbl") +
           text("%s, Reynolds number %g, %s cells, %lld steps of %g on %lld x %lld rank(s) of %d thread(s)\n",
                s.case_name.c_str(), s.reynolds, product_text(s.points).c_str(), static_cast<long long>(s.steps), s.dt,
                static_cast<long long>(ranks[0]), static_cast<long long>(ranks[1]), threads) +
           text("%-15s %-11s %11s %11s %11s %11s %11s %11s\n", "case", "variant", "median s", "min s", "max s",
                "ns/point", "divergence", "error");
}

std::string failure(const Measured& m) {
    if (!within(m.divergence, divergence_allowed)) {
        return text("the divergence is %.2e after some step, and may be %.0e", m.divergence, divergence_allowed);
    }
    if (!within(m.momentum_residual, residual_allowed)) {
        return text("the budget of momentum is open by %.2e, and may be by %.0e", m.momentum_residual,
                    residual_allowed);
    }
    if (!within(m.energy.worst_residual(), residual_allowed)) {
        return text("the budget of energy is open by %.2e, and may be by %.0e", m.energy.worst_residual(),
                    residual_allowed);
    }
    if (m.error && !within(*m.error, error_allowed)) {
        return text("velocities differ from the exact solution by %.2e, and may by %.0e", *m.error, error_allowed);
    }
    if (m.laminar && !within(*m.laminar, laminar_allowed(*m.settings))) {
        return text("the layer differs from that of Blasius by %.2e, and may by %.0e", *m.laminar,
                    laminar_allowed(*m.settings));
    }
    if (m.entering && !within(m.entering->edge - 1, edge_allowed)) {
        return text("the flow enters at a velocity of %.4f far from the wall, and not of 1 within %g", m.entering->edge,
                    edge_allowed);
    }
    if (m.entering && !within(m.entering->thickness - 1, thickness_allowed(*m.settings))) {
        return text("the layer that enters is %.3f thick, and not 1 within %g", m.entering->thickness,
                    thickness_allowed(*m.settings));
    }
    if (m.growth && !within(m.growth->rate - m.growth->expected, growth_allowed(*m.settings))) {
        return text("the wave grows at a rate of %.6f, and not of %.6f within %.0e", m.growth->rate, m.growth->expected,
                    growth_allowed(*m.settings));
    }
    return "";
}

std::string row(const Measured& m) {
    const std::optional<double>& error = m.error ? m.error : m.laminar;
    return text("%-15s %-11s %11.6f %11.6f %11.6f %11.2f %11.2e %11s%s\n", m.settings->case_name.c_str(),
                m.settings->solver_name.c_str(), m.steps.median_s(), m.steps.least_s(), m.steps.greatest_s(),
                ns_per_point(m), m.divergence, error ? text("%.2e", *error).c_str() : "-",
                failure(m).empty() ? "" : "  WRONG");
}

Sample sample(const Measured& m) {
    const Settings& s = *m.settings;
    const Traffic bytes = traffic(s.shape(), m.ranks);
    return {.workload = "tbl",
            .variant = s.solver_name,
            .phase = s.case_name,
            .parameters = parameters(m),
            .ranks = static_cast<int>(m.ranks[0] * m.ranks[1]),
            .threads = m.threads,
            .seconds = m.steps.median_s(),
            .bytes = bytes.transposed + bytes.halos + bytes.inflow,
            .flops = {},
            .points = s.all_points(),
            .error = m.error,
            .verified = failure(m).empty(),
            .details = details(m)};
}

JsonObject statistics(const Averages& a) {
    const Profiles& p = a.profiles;
    JsonObject object;
    return object.add("steps", p.steps)
        .add("friction_velocity", a.friction_velocity)
        .add("bulk_velocity", p.bulk_velocity)
        .add("stress_bottom", p.stress_bottom)
        .add("stress_residual", a.stress_residual)
        .add("y_centre", p.y_centre)
        .add("u", p.u)
        .add("uu", p.uu)
        .add("ww", p.ww)
        .add("y_face", p.y_face)
        .add("vv", p.vv)
        .add("uv", p.uv)
        .add("stress", p.stress);
}

std::string remarks(const Measured& m) {
    const Sections& s = m.sections;
    const double all = s.velocity_solver + s.pressure_solver + s.update + s.others;
    const auto percent = [&](double one) { return 100 * one / all; };
    std::string lines =
        text(
            "NOTE velocity solver %.1f %%, pressure solver %.1f %%, update of velocity and pressure %.1f %%, "
            "others %.1f %%\n",
            percent(s.velocity_solver), percent(s.pressure_solver), percent(s.update), percent(s.others)) +
        text("NOTE kinetic energy %.9g, bulk velocity %.9g, wall shear %.9g below and %.9g above\n",
             m.energy.kinetic_energy, m.bulk_velocity, m.shear_bottom, m.shear_top);
    if (m.layer) {
        lines +=
            text("NOTE the layer's displacement thickness grows from %.6g to %.6g, its momentum thickness to %.6g\n",
                 m.layer->displacement.front(), m.layer->displacement.back(), m.layer->momentum.back());
    }
    if (m.growth) {
        lines += text("NOTE the wave grows at a rate of %.6f; expected: %.6f\n", m.growth->rate, m.growth->expected);
    }
    if (m.averages) {
        const Averages& a = *m.averages;
        lines += text(
            "NOTE mean of %lld steps: friction velocity %.6g, bulk velocity %.6g, stress off its line by %.2g %%\n",
            static_cast<long long>(a.profiles.steps), a.friction_velocity, a.profiles.bulk_velocity,
            100 * a.stress_residual);
    }
    return lines;
}

}  // namespace waywiser::tbl
