#include "workloads/grid/report.hpp"

#include "workloads/common/text.hpp"
#include "workloads/common/threads.hpp"
#include "workloads/common/version.hpp"

#include <optional>

namespace waywiser::grid {
namespace {

double giga(Index amount, double seconds) { return 1e-9 * static_cast<double>(amount) / seconds; }

Roofline roofline_of(const Measured& m) {
    const auto points = static_cast<double>(m.cost.points);
    return {.bytes_per_point = static_cast<double>(m.cost.moved_bytes) / points,
            .flops_per_point = static_cast<double>(m.cost.flops) / points,
            .like = m.kernel->like};
}

double points_per_s(const Measured& m) { return static_cast<double>(m.cost.points) / m.result->tries.median_s(); }

JsonObject parameters(const Measured& m) {
    const Settings& s = *m.settings;
    JsonObject object;
    add_parameters(object, s);
    add_parameters(object, m.cartesian->ranks(), s.order);
    return object.add("barrier", s.barrier);
}

/// The value of a reduction; none for a kernel that leaves a field.
std::optional<double> value(const Measured& m) {
    if (!m.kernel->reduces()) return {};
    const Reduced& found = m.result->value;
    return m.kernel->operation == Operation::l1_error ? found.value / found.beside : found.value;
}

JsonObject details(const Measured& m) {
    return {{"formula", m.kernel->formula},         {"value", value(m)},
            {"moved_bytes", m.cost.moved_bytes},    {"error_allowed", m.result->allowed},
            {"tries_s", m.result->tries.seconds()}, {"roofline", to_json(roofline_of(m), *m.limits, points_per_s(m))}};
}

}  // namespace

std::string heading(const Settings& s, const Cartesian& cartesian, const MachineLimits& limits) {
    return report_title("ww-grid") +
           text("%s points of %s on %s rank(s) of %d thread(s), %lld tries\n", product_text(s.points), s.precision,
                product_text(cartesian.ranks()), thread_limit(), s.tries) +
           summary(limits) +
           text("%-19s %-11s %11s %11s %11s %9s %9s %9s %7s %10s\n", "kernel", "variant", "median s", "min s", "max s",
                "GB/s", "GB/s all", "GPoint/s", "of roof", "error");
}

std::string failure(const Measured& m) { return m.result->verified() ? "" : "results are wrong"; }

std::string row(const Measured& m) {
    const Tries& tries = m.result->tries;
    const double median_s = tries.median_s();
    return text("%-19s %-11s %11.6f %11.6f %11.6f %9.2f %9.2f %9.3f %7.2f %10.2e%s\n", m.kernel->name, m.variant->name,
                median_s, tries.least_s(), tries.greatest_s(), giga(m.cost.counted_bytes, median_s),
                giga(m.cost.moved_bytes, median_s), 1e-9 * points_per_s(m),
                points_per_s(m) / bound_points_per_s(roofline_of(m), *m.limits), m.result->error,
                m.result->verified() ? "" : "  WRONG");
}

Sample sample(const Measured& m) {
    return {.variant = std::string(m.variant->name),
            .phase = std::string(m.kernel->name),
            .parameters = parameters(m),
            .seconds = m.result->tries.median_s(),
            .bytes = m.cost.counted_bytes,
            .flops = m.cost.flops,
            .points = m.cost.points,
            .error = m.result->error,
            .verified = m.result->verified(),
            .details = details(m)};
}

}  // namespace waywiser::grid
