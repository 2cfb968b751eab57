#include "workloads/tbl/report.hpp"

#include "workloads/common/bounds.hpp"
#include "workloads/common/threads.hpp"

#include <cmath>

namespace waywiser::tbl {
namespace {

constexpr double divergence_allowed = 1e-12;
constexpr double residual_allowed = 1e-11;
constexpr double error_allowed = 1e-10;
constexpr double edge_allowed = 1e-3;

/// Allowed error of the growth rate of a wave: of second order, and twice the measured error on 24 x 64 cells.
double growth_allowed(const Settings& s) {
    const double along = 24 / static_cast<double>(s.points[0]);
    const double across = 64 / static_cast<double>(s.points[1]);
    return 0.0001 * along * along + 0.0035 * across * across;
}

/// Allowed difference from the Blasius layer: a second-order error plus the terms that boundary-layer equations
/// neglect. The bound is about twice the measured difference.
double laminar_allowed(const Settings& s) {
    const double along = s.lengths[0] / static_cast<double>(s.points[0]);
    const double across = s.lengths[1] / static_cast<double>(s.points[1]);
    return 0.0002 * along * along + 0.02 * across * across + 0.1 / s.reynolds;
}

/// Allowed difference of the thickness at the inflow from 1; its error comes from linear interpolation between rows.
double thickness_allowed(const Settings& s) { return 0.03 + 0.5 * s.lengths[1] / static_cast<double>(s.points[1]); }

double ns_per_point(const Measured& m) {
    return 1e9 * m.steps.median_s() / static_cast<double>(m.settings->all_points());
}

JsonObject parameters(const Measured& m) {
    const Settings& s = *m.settings;
    return {{"n1", s.points[0]},
            {"n2", s.points[1]},
            {"n3", s.points[2]},
            {"l1", s.lengths[0]},
            {"l2", s.lengths[1]},
            {"l3", s.lengths[2]},
            {"re", s.reynolds},
            {"inviscid", s.inviscid},
            {"dt", s.dt},
            {"steps", s.steps},
            {"stretching", s.stretching},
            {"perturbation", s.perturbation},
            {"drive", s.drive},
            {"time", s.time_name},
            {"decomposition", s.solver_name},
            {"p1", m.ranks[0]},
            {"p2", m.ranks[1]}};
}

JsonObject energy(const EnergyBudget& e) {
    return {{"kinetic_energy", e.kinetic_energy},
            {"perturbation_energy", e.perturbation_energy},
            {"dissipation", e.dissipation},
            {"wall_power", e.wall_power},
            {"force_power", e.force_power},
            {"end_power", e.end_power},
            {"convection_residual", e.convection_residual},
            {"pressure_residual", e.pressure_residual},
            {"viscosity_residual", e.viscosity_residual}};
}

JsonObject layer(const Layer& l) {
    return {{"x", l.x},
            {"displacement_thickness", l.displacement},
            {"momentum_thickness", l.momentum},
            {"friction_coefficient", l.friction}};
}

JsonObject entering(const Entering& e) {
    return {{"friction_ratio", e.by.friction},
            {"thickness_ratio", e.by.thickness},
            {"thickness", e.thickness},
            {"edge_velocity", e.edge}};
}

Metrics details(const Measured& m) {
    const Traffic bytes = traffic(m.settings->shape(), m.ranks);
    return {{"ns_per_point", ns_per_point(m)},
            {"sections", to_json(m.sections, section_table)},
            {"divergence", m.divergence},
            {"divergence_allowed", divergence_allowed},
            {"momentum_residual", m.momentum_residual},
            {"residual_allowed", residual_allowed},
            {"kinetic_energy_at_start", m.kinetic_energy_at_start},
            {"energy", energy(m.energy)},
            {"bulk_velocity", m.bulk_velocity},
            {"shear_bottom", m.shear_bottom},
            {"shear_top", m.shear_top},
            {"growth", m.growth ? std::optional(m.growth->rate) : std::nullopt},
            {"growth_expected", m.growth ? std::optional(m.growth->expected) : std::nullopt},
            {"layer", m.layer ? std::optional(layer(*m.layer)) : std::nullopt},
            {"laminar_error", m.laminar},
            {"inflow", m.entering ? std::optional(entering(*m.entering)) : std::nullopt},
            {"statistics", m.averages ? std::optional(statistics(*m.averages)) : std::nullopt},
            {"transposed_bytes", bytes.transposed},
            {"halo_bytes", bytes.halos},
            {"inflow_bytes", bytes.inflow}};
}

std::string failure(const Measured& m) {
    const Settings& s = *m.settings;
    const double edge = m.entering ? m.entering->edge : 1;
    const double thickness = m.entering ? m.entering->thickness : 1;
    const auto [rate, expected] = m.growth.value_or(Growth{});
    return first_failure({
        {m.divergence, divergence_allowed, "the divergence is %.2e after some step, and may be %.0e"},
        {m.momentum_residual, residual_allowed, "the residual of the momentum budget is %.2e, and may be %.0e"},
        {m.energy.worst_residual(), residual_allowed, "the residual of the energy budget is %.2e, and may be %.0e"},
        {m.error.value_or(0), error_allowed, "velocities differ from the exact solution by %.2e, and may by %.0e"},
        {m.laminar.value_or(0), laminar_allowed(s), "the layer differs from that of Blasius by %.2e, and may by %.0e"},
        {edge - 1, edge_allowed,
         text("the free-stream velocity at the inflow is %.4f, and not 1 within %g", edge, edge_allowed)},
        {thickness - 1, thickness_allowed(s),
         text("the thickness of the layer at the inflow is %.3f, and not 1 within %g", thickness,
              thickness_allowed(s))},
        {rate - expected, growth_allowed(s),
         text("the wave grows at a rate of %.6f, and not of %.6f within %.0e", rate, expected, growth_allowed(s))},
    });
}

}  // namespace

std::string description(const Settings& s, const std::array<Index, 2>& ranks) {
    return text("%s, Reynolds number %g, %s cells, %lld steps of %g on %lld x %lld rank(s) of %d thread(s)\n",
                s.case_name, s.reynolds, product_text(s.points), s.steps, s.dt, ranks[0], ranks[1], thread_limit());
}

Sample sample(const Measured& m) {
    const Settings& s = *m.settings;
    const Traffic bytes = traffic(s.shape(), m.ranks);
    Sample sample{.variant = s.solver_name,
                  .phase = s.case_name,
                  .parameters = parameters(m),
                  .bytes = bytes.transposed + bytes.halos + bytes.inflow,
                  .points = s.all_points(),
                  .error = m.error,
                  .failure = failure(m),
                  .details = details(m)};
    sample.details.show("error_or_laminar", m.error ? m.error : m.laminar);
    add_tries(sample, m.steps, "steps_s");
    return sample;
}

JsonObject statistics(const Averages& a) {
    const Profiles& p = a.profiles;
    return {{"steps", p.steps},
            {"friction_velocity", a.friction_velocity},
            {"bulk_velocity", p.bulk_velocity},
            {"stress_bottom", p.stress_bottom},
            {"stress_residual", a.stress_residual},
            {"y_centre", p.y_centre},
            {"u", p.u},
            {"uu", p.uu},
            {"ww", p.ww},
            {"y_face", p.y_face},
            {"vv", p.vv},
            {"uv", p.uv},
            {"stress", p.stress}};
}

std::string remarks(const Measured& m) {
    std::string lines = shares(m.sections, section_table) +
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
            "NOTE mean of %lld steps: friction velocity %.6g, bulk velocity %.6g, residual of the stress %.2g %%\n",
            a.profiles.steps, a.friction_velocity, a.profiles.bulk_velocity, 100 * a.stress_residual);
    }
    return lines;
}

}  // namespace waywiser::tbl
