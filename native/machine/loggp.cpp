#include "machine/loggp.hpp"

#include <algorithm>
#include <cmath>

#include "base/error.hpp"

namespace waywiser::machine {

void Messages::check(const std::string& name) const {
    require(!costs.empty() && !costs.back().up_to_bytes,
            name + ".costs: expected at least one cost, the last of them without up_to_bytes");
    std::optional<std::uint64_t> before;
    for (const Cost& cost : costs) {
        const bool last = &cost == &costs.back();
        require(last == !cost.up_to_bytes && (last || !before || *cost.up_to_bytes > *before),
                name + ".costs: expected all but the last to have up_to_bytes, each more than the one before");
        before = cost.up_to_bytes;
        for (const double duration :
             {cost.latency_ns, cost.overhead_ns, cost.gap_ns, cost.ns_per_byte, cost.overhead_ns_per_byte}) {
            require(std::isfinite(duration) && duration >= 0,
                    name + ".costs: expected times of 0 or more that are finite");
        }
    }
}

Charge Messages::charge(std::uint64_t bytes, Protocol protocol) const {
    const Cost& cost = of(bytes);
    const auto size = static_cast<double>(bytes);
    Charge charge{.eager = protocol == Protocol::by_size ? bytes <= eager_limit_bytes : protocol == Protocol::eager,
                  .overhead_ns = cost.overhead_ns,
                  .busy_ns = cost.overhead_ns + cost.overhead_ns_per_byte * size,
                  .latency_ns = cost.latency_ns,
                  .transfer_ns = cost.ns_per_byte * size,
                  .gap_ns = cost.gap_ns,
                  .overlap_ns = std::min(cost.overhead_ns_per_byte, cost.ns_per_byte) * size};
    if (!charge.eager) {
        // The measured L of a long message includes its handshake. No rendezvous is faster than its three messages, of
        // which two are empty.
        const Cost& empty = of(0);
        charge.request_ns = empty.overhead_ns;
        charge.flight_ns = empty.latency_ns;
        const double handshake_ns = 2 * (empty.overhead_ns + empty.latency_ns);
        charge.latency_ns = std::max(cost.latency_ns - handshake_ns, empty.latency_ns);
    }
    return charge;
}

}  // namespace waywiser::machine
