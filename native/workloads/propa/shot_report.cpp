#include "workloads/propa/shot_report.hpp"

#include "workloads/common/text.hpp"
#include "workloads/common/version.hpp"
#include "workloads/propa/report.hpp"
#include "workloads/stencil/stencil.hpp"

#include <array>
#include <numeric>

namespace waywiser::propa {
namespace {

Index points(const MeasuredShot& m) { return m.run->settings.all_points() * m.run->settings.steps; }

double points_per_s(const MeasuredShot& m) { return static_cast<double>(points(m)) / m.tries.median_s(); }

/// Share of the layers in the time of all tries.
double share_in_layers(const MeasuredShot& m) {
    const auto sum = [](const std::vector<double>& values) {
        return std::accumulate(values.begin(), values.end(), 0.0);
    };
    return sum(m.layers_s) / sum(m.tries.seconds());
}

std::string position_text(const std::array<double, 3>& at) { return text("%g, %g, %g", at[0], at[1], at[2]); }

/// Errors are of what was compared.
std::optional<double> where_checked(const MeasuredShot& m, double value) {
    if (m.arrivals.checked == 0) return {};
    return value;
}

JsonObject parameters(const ShotRun& run) {
    const Settings& s = run.settings;
    JsonObject object;
    add_parameters(object, s);
    add_parameters(object, run.ranks, s.order);
    return object.add("steps", s.steps)
        .add("dt", s.dt)
        .add("frequency_Hz", s.modelling.frequency_Hz)
        .add("boundary", s.boundary)
        .add("layer", s.modelling.layer)
        .add("free_surface", s.modelling.free_surface);
}

/// What the report draws; positions are those of points.
JsonObject modelling(const ShotRun& run) {
    const Modelling& m = run.settings.modelling;
    const auto source = run.survey.position_m(run.survey.source);
    std::vector<double> receivers;
    for (const Index3& at : run.survey.receivers) {
        const auto position = run.survey.position_m(at);
        receivers.insert(receivers.end(), position.begin(), position.end());
    }
    return {{"spacings_m", std::span<const double>(run.survey.spacings_m)},
            {"source_m", std::span<const double>(source)},
            {"receivers_m", receivers},
            {"dt_s", run.settings.dt},
            {"slowest_m_s", run.slowest_m_s},
            {"fastest_m_s", run.fastest_m_s},
            {"traces", m.traces},
            {"snapshots", m.snapshots},
            {"snapshots_s", run.snapshots_s}};
}

JsonObject details(const MeasuredShot& m) {
    const Arrivals& a = m.arrivals;
    return {{"predicted_error", where_checked(m, a.predicted)},
            {"error_allowed", where_checked(m, a.allowed)},
            {"checked_receivers", a.checked},
            {"unchecked", a.unchecked},
            {"failure", a.failure()},
            {"registers", stencil::registers()},
            {"block", stencil::block_text(m.block)},
            {"points_per_s", points_per_s(m)},
            {"tries_s", m.tries.seconds()},
            {"layers_s", m.layers_s},
            {"layer_points", m.layer_points},
            {"modelling", modelling(*m.run)},
            {"roofline", to_json(roofline_of(m.run->settings), m.run->limits, points_per_s(m))}};
}

}  // namespace

std::string heading(const ShotRun& run) {
    const Settings& s = run.settings;
    const std::string medium = run.slowest_m_s == run.fastest_m_s
                                   ? text("%g m/s", run.fastest_m_s)
                                   : text("%g to %g m/s", run.slowest_m_s, run.fastest_m_s);
    const std::string boundary =
        s.boundary == "absorbing" ? text("absorbing layers of %lld points", s.modelling.layer) : s.boundary;
    return report_title("ww-propa") + grid_text(s, run.ranks) + text(", %s\n", stencil::registers()) +
           summary(run.limits) +
           text("%lld steps of %.6g s, points every %s m, %s, boundary: %s%s\n", s.steps, s.dt,
                position_text(run.survey.spacings_m), medium, boundary,
                s.modelling.free_surface ? ", free surface at x1 = 0" : "") +
           text("source of %g Hz at %s m, %lld receiver(s)\n", s.modelling.frequency_Hz,
                position_text(run.survey.position_m(run.survey.source)),
                static_cast<Index>(run.survey.receivers.size())) +
           text("%-10s %-13s %11s %9s %10s %10s %9s %9s %13s %13s\n", "variant", "block", "median s", "in layers",
                "GPoint/s", "GFLOP/s", "GB/s", "of roof", "error", "by theory");
}

std::string failure(const MeasuredShot& m) { return m.arrivals.failure(); }

std::string row(const MeasuredShot& m) {
    const double rate = points_per_s(m) * 1e-9;
    const Roofline roofline = roofline_of(m.run->settings);
    const std::string errors = m.arrivals.checked == 0 ? text("%13s %13s", "-", "-")
                                                       : text("%13.5e %13.5e", m.arrivals.error, m.arrivals.predicted);
    return text("%-10s %-13s %11.6f %8.0f%% %10.3f %10.2f %9.2f %9.2f %s\n", m.variant, stencil::block_text(m.block),
                m.tries.median_s(), 100 * share_in_layers(m), rate, rate * roofline.flops_per_point,
                rate * roofline.bytes_per_point, points_per_s(m) / bound_points_per_s(roofline, m.run->limits), errors);
}

Sample sample(const MeasuredShot& m) {
    const Roofline roofline = roofline_of(m.run->settings);
    std::optional<bool> verified;
    if (m.arrivals.checked > 0 || !m.arrivals.failure().empty()) verified = m.arrivals.failure().empty();
    return {.variant = std::string(m.variant),
            .phase = "modelling",
            .parameters = parameters(*m.run),
            .seconds = m.tries.median_s(),
            .bytes = points(m) * static_cast<Index>(roofline.bytes_per_point),
            .flops = points(m) * static_cast<Index>(roofline.flops_per_point),
            .points = points(m),
            .error = where_checked(m, m.arrivals.error),
            .verified = verified,
            .details = details(m)};
}

}  // namespace waywiser::propa
