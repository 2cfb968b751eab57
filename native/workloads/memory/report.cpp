#include "workloads/memory/report.hpp"

#include "workloads/common/text.hpp"
#include "workloads/common/threads.hpp"
#include "workloads/common/version.hpp"

namespace waywiser::memory {
namespace {

int value_bytes(const Settings& settings) { return static_cast<int>(settings.value_bytes()); }

Index all_points(const Measured& m) { return m.ranks * m.settings->all_points(); }

Index counted_bytes(const Measured& m) { return all_points(m) * m.kernel->counted_bytes(value_bytes(*m.settings)); }

Index moved_bytes(const Measured& m) {
    return all_points(m) * m.kernel->moved_bytes(value_bytes(*m.settings), m.variant->stores);
}

double giga(Index amount, double seconds) { return 1e-9 * static_cast<double>(amount) / seconds; }

JsonObject parameters(const Measured& m) {
    const Settings& s = *m.settings;
    JsonObject object;
    add_parameters(object, s);
    return object.add("param1", s.scale_b).add("param2", s.scale_c);
}

JsonObject details(const Measured& m) {
    const Tries& tries = m.result->tries;
    const Roofline roofline{.bytes_per_point = static_cast<double>(moved_bytes(m)) / static_cast<double>(all_points(m)),
                            .flops_per_point = static_cast<double>(m.kernel->flops()),
                            .like = m.kernel->like};
    return {{"formula", m.kernel->formula},
            {"moved_bytes", moved_bytes(m)},
            {"error_allowed", m.result->allowed},
            {"tries_s", tries.seconds()},
            {"roofline", to_json(roofline, *m.limits, static_cast<double>(all_points(m)) / tries.median_s())}};
}

}  // namespace

std::string heading(const Settings& s, const MachineLimits& limits, int ranks) {
    return report_title("ww-memory") +
           text("%s points of %s a rank, %d rank(s) of %d thread(s), %lld tries\n", product_text(s.points), s.precision,
                ranks, thread_limit(), s.tries) +
           summary(limits) +
           text("%-11s %-12s %11s %11s %11s %9s %9s %9s %10s\n", "kernel", "variant", "median s", "min s", "max s",
                "GB/s", "GB/s all", "GPoint/s", "error");
}

std::string failure(const Measured& m) { return m.result->verified() ? "" : "values are wrong"; }

std::string row(const Measured& m) {
    const Tries& tries = m.result->tries;
    const double median_s = tries.median_s();
    return text("%-11s %-12s %11.6f %11.6f %11.6f %9.2f %9.2f %9.3f %10.2e%s\n", m.kernel->name, m.variant->name,
                median_s, tries.least_s(), tries.greatest_s(), giga(counted_bytes(m), median_s),
                giga(moved_bytes(m), median_s), giga(all_points(m), median_s), m.result->error,
                m.result->verified() ? "" : "  WRONG");
}

Sample sample(const Measured& m) {
    return {.variant = std::string(m.variant->name),
            .phase = std::string(m.kernel->name),
            .parameters = parameters(m),
            .seconds = m.result->tries.median_s(),
            .bytes = counted_bytes(m),
            .flops = all_points(m) * m.kernel->flops(),
            .points = all_points(m),
            .error = m.result->error,
            .verified = m.result->verified(),
            .details = details(m)};
}

}  // namespace waywiser::memory
