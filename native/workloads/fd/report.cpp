#include "workloads/fd/report.hpp"

#include "workloads/common/text.hpp"
#include "workloads/common/version.hpp"

namespace waywiser::fd {
namespace {

Index bytes_per_point(const Measured& m) {
    return stencil::values_per_point(m.operation.operation) * m.run->settings.value_bytes();
}

Index flops_per_point(const Measured& m) {
    return stencil::flops_per_point(m.operation.operation, static_cast<int>(m.run->settings.order));
}

double points_per_s(const Measured& m) {
    return static_cast<double>(m.run->settings.all_points()) / m.tries.median_s();
}

/// A result is written and u is read: what a copy does.
Roofline roofline_of(const Measured& m) {
    return {.bytes_per_point = static_cast<double>(bytes_per_point(m)),
            .flops_per_point = static_cast<double>(flops_per_point(m)),
            .like = MemoryBound::copy};
}

JsonObject parameters(const Measured& m) {
    const Settings& s = m.run->settings;
    JsonObject object;
    object.add("operator", m.operation.name);
    add_parameters(object, s);
    add_parameters(object, m.run->ranks, s.order);
    return object.add("modes", std::span<const double>(s.modes)).add("amplitude", s.amplitude);
}

JsonObject details(const Measured& m) {
    const Verdict& v = m.verdict;
    return {{"predicted_error", v.predicted},
            {"error_allowed", v.error_allowed},
            {"gap", v.gap},
            {"gap_allowed", v.gap_allowed},
            {"failure", v.failure()},
            {"registers", stencil::registers()},
            {"block", stencil::block_text(m.block)},
            {"points_per_s", points_per_s(m)},
            {"copy_points_per_s", static_cast<double>(m.run->settings.all_points()) / m.run->copy_s},
            {"fraction_of_copy", m.run->copy_s / m.tries.median_s()},
            {"exchange_s", m.exchange_s},
            {"tries_s", m.tries.seconds()},
            {"roofline", to_json(roofline_of(m), m.run->limits, points_per_s(m))}};
}

}  // namespace

std::string heading(const Run& run) {
    const Settings& s = run.settings;
    return report_title("ww-fd") + grid_text(s, run.ranks) + text(", %s, %lld tries\n", stencil::registers(), s.tries) +
           summary(run.limits) +
           text("half waves %g, %g, %g; a copy of the grid in this run: %.3f GPoint/s\n", s.modes[0], s.modes[1],
                s.modes[2], static_cast<double>(s.all_points()) / run.copy_s * 1e-9) +
           text("%-10s %-11s %-13s %11s %10s %10s %9s %9s %9s %13s %13s\n", "operator", "variant", "block", "median s",
                "GPoint/s", "GFLOP/s", "GB/s", "of copy", "of roof", "error", "by theory");
}

std::string failure(const Measured& m) { return m.verdict.failure(); }

std::string row(const Measured& m) {
    const double rate = points_per_s(m) * 1e-9;
    return text("%-10s %-11s %-13s %11.6f %10.3f %10.2f %9.2f %9.2f %9.2f %13.5e %13.5e\n", m.operation.name, m.variant,
                stencil::block_text(m.block), m.tries.median_s(), rate, rate * static_cast<double>(flops_per_point(m)),
                rate * static_cast<double>(bytes_per_point(m)), m.run->copy_s / m.tries.median_s(),
                points_per_s(m) / bound_points_per_s(roofline_of(m), m.run->limits), m.verdict.error,
                m.verdict.predicted);
}

Sample sample(const Measured& m) {
    const Index points = m.run->settings.all_points();
    return {.variant = std::string(m.variant),
            .phase = std::string(m.operation.name),
            .parameters = parameters(m),
            .seconds = m.tries.median_s(),
            .bytes = points * bytes_per_point(m),
            .flops = points * flops_per_point(m),
            .points = points,
            .error = m.verdict.error,
            .verified = m.verdict.failure().empty(),
            .details = details(m)};
}

}  // namespace waywiser::fd
