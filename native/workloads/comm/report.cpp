#include "workloads/comm/report.hpp"

#include "workloads/common/text.hpp"
#include "workloads/common/threads.hpp"
#include "workloads/common/version.hpp"

namespace waywiser::comm {
namespace {

Index received_bytes(const Measured& m) { return m.traffic.received_points * m.settings->value_bytes(); }

JsonObject parameters(const Measured& m) {
    const Settings& s = *m.settings;
    JsonObject object;
    add_parameters(object, s);
    add_parameters(object, m.ranks, m.order);
    return object;
}

/// However it travels, a point is read from one rank's grid and written to another's halo.
Roofline roofline(const Measured& m) {
    return {.bytes_per_point = 2 * static_cast<double>(m.settings->value_bytes()),
            .flops_per_point = 0,
            .like = MemoryBound::copy};
}

double points_per_s(const Measured& m) {
    return static_cast<double>(m.traffic.received_points) / m.result->tries.median_s();
}

JsonObject details(const Measured& m) {
    return {{"calls", m.variant->calls},
            {"messages", m.traffic.messages},
            {"largest_message_bytes", m.traffic.largest_message_points * m.settings->value_bytes()},
            {"wrong_points", m.result->wrong},
            {"tries_s", m.result->tries.seconds()},
            {"roofline", to_json(roofline(m), *m.limits, points_per_s(m))}};
}

}  // namespace

std::string heading(const Settings& s, const MachineLimits& limits, int ranks) {
    return report_title("ww-comm") +
           text("%s points of %s on %d rank(s) of %d thread(s), %lld tries; packing included\n", product_text(s.points),
                s.precision, ranks, thread_limit(), s.tries) +
           summary(limits) +
           text("%-14s %5s %-14s %12s %9s %11s %11s %11s %9s\n", "ranks", "order", "variant", "message B", "messages",
                "median us", "min us", "max us", "GB/s");
}

std::string failure(const Measured& m) { return m.result->wrong == 0 ? "" : "values are wrong"; }

std::string row(const Measured& m) {
    const Tries& tries = m.result->tries;
    const Index largest = m.traffic.largest_message_points * m.settings->value_bytes();
    return text("%-14s %5lld %-14s %12lld %9lld %11.2f %11.2f %11.2f %9.3f%s\n", product_text(m.ranks), m.order,
                m.variant->name, largest, m.traffic.messages, 1e6 * tries.median_s(), 1e6 * tries.least_s(),
                1e6 * tries.greatest_s(), 1e-9 * static_cast<double>(received_bytes(m)) / tries.median_s(),
                m.result->wrong == 0 ? "" : "  WRONG");
}

Sample sample(const Measured& m) {
    return {.variant = std::string(m.variant->name),
            .phase = "exchange",
            .parameters = parameters(m),
            .seconds = m.result->tries.median_s(),
            .bytes = received_bytes(m),
            .points = m.traffic.received_points,
            .verified = m.result->wrong == 0,
            .details = details(m)};
}

}  // namespace waywiser::comm
