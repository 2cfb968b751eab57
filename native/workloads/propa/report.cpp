#include "workloads/propa/report.hpp"

#include "workloads/common/text.hpp"
#include "workloads/common/version.hpp"
#include "workloads/stencil/stencil.hpp"

namespace waywiser::propa {
namespace {

using stencil::Operator;

Index bytes_per_point(const Settings& s) { return stencil::values_per_point(Operator::leapfrog) * s.value_bytes(); }

Index flops_per_point(const Settings& s) {
    return stencil::flops_per_point(Operator::leapfrog, static_cast<int>(s.order));
}

double points_per_s(const Measured& m) { return static_cast<double>(m.run->point_steps()) / m.tries.median_s(); }

/// Points per second, over those of the copy of the same run.
double fraction_of_copy(const Measured& m) {
    return m.run->copy_s * static_cast<double>(m.run->settings.steps) / m.tries.median_s();
}

JsonObject parameters(const Run& run) {
    const Settings& s = run.settings;
    JsonObject object;
    add_parameters(object, s);
    add_parameters(object, run.ranks, s.order);
    return object.add("steps", s.steps)
        .add("dt", s.dt)
        .add("longest_stable_dt", stencil::longest_stable_step(s.points, static_cast<int>(s.order)))
        .add("check_every", s.check_every)
        .add("modes", std::span<const Index>(s.modes))
        .add("boundary", s.boundary);
}

JsonObject details(const Measured& m) {
    const Verdict& v = m.verdict;
    const Run& run = *m.run;
    return {{"predicted_error", v.predicted()},
            {"error_allowed", v.error_allowed()},
            {"gap", v.gap()},
            {"gap_allowed", v.gap_allowed()},
            {"failure", v.failure()},
            {"registers", stencil::registers()},
            {"block", stencil::block_text(m.block)},
            {"points_per_s", points_per_s(m)},
            {"bytes_per_point", bytes_per_point(run.settings)},
            {"flops_per_point", flops_per_point(run.settings)},
            {"copy_points_per_s", static_cast<double>(run.settings.all_points()) / run.copy_s},
            {"fraction_of_copy", fraction_of_copy(m)},
            {"exchange_s", m.exchange_s},
            {"exchanged_bytes", run.exchanged_points * run.settings.steps * run.settings.value_bytes()},
            {"tries_s", m.tries.seconds()},
            {"roofline", to_json(roofline_of(run.settings), run.limits, points_per_s(m))}};
}

}  // namespace

Roofline roofline_of(const Settings& s) {
    return {.bytes_per_point = static_cast<double>(bytes_per_point(s)),
            .flops_per_point = static_cast<double>(flops_per_point(s)),
            .like = MemoryBound::leapfrog};
}

std::string heading(const Run& run) {
    const Settings& s = run.settings;
    return report_title("ww-propa") + grid_text(s, run.ranks) +
           text(", %s, %lld tries\n", stencil::registers(), s.tries) + summary(run.limits) +
           text("%lld steps of %.6g (longest stable %.6g), half waves %lld, %lld, %lld, boundary %s\n", s.steps, s.dt,
                stencil::longest_stable_step(s.points, static_cast<int>(s.order)), s.modes[0], s.modes[1], s.modes[2],
                s.boundary) +
           text("a leapfrog without neighbours on these grids, at %lld B a point: %.3f GPoint/s\n", bytes_per_point(s),
                static_cast<double>(s.all_points()) / run.copy_s * 1e-9) +
           text("%-10s %-13s %11s %10s %10s %9s %9s %9s %13s %13s\n", "variant", "block", "median s", "GPoint/s",
                "GFLOP/s", "GB/s", "of copy", "of roof", "error", "by theory");
}

std::string failure(const Measured& m) { return m.verdict.failure(); }

std::string row(const Measured& m) {
    const double rate = points_per_s(m) * 1e-9;
    const Roofline roofline = roofline_of(m.run->settings);
    return text(
        "%-10s %-13s %11.6f %10.3f %10.2f %9.2f %9.2f %9.2f %13.5e %13.5e\n", m.variant, stencil::block_text(m.block),
        m.tries.median_s(), rate, rate * roofline.flops_per_point, rate * roofline.bytes_per_point, fraction_of_copy(m),
        points_per_s(m) / bound_points_per_s(roofline, m.run->limits), m.verdict.error(), m.verdict.predicted());
}

Sample sample(const Measured& m) {
    const Index points = m.run->point_steps();
    return {.variant = std::string(m.variant),
            .phase = "propagation",
            .parameters = parameters(*m.run),
            .seconds = m.tries.median_s(),
            .bytes = points * bytes_per_point(m.run->settings),
            .flops = points * flops_per_point(m.run->settings),
            .points = points,
            .error = m.verdict.error(),
            .verified = m.verdict.failure().empty(),
            .details = details(m)};
}

}  // namespace waywiser::propa
