/// Mapping of ranks to slots at the least cost of communication.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "place/pattern.hpp"
#include "place/slots.hpp"

namespace waywiser::place {

inline constexpr std::uint32_t kNone = 0xffffffff;  ///< no rank, no vertex, no place in a queue

/// The cost to minimise.
enum class Objective : std::uint8_t {
    hop_bytes,     ///< J: bytes times distance, summed over pairs of ranks (half of both directions)
    busiest_link,  ///< bytes over cables of the link that carries most
    time,          ///< seconds that the slowest rank or link needs, of latencies and bandwidths
};
constexpr Objective last_of(Objective /*any*/) { return Objective::time; }

/// Seconds of `Objective::time`: each message costs `seconds_per_message + hops * seconds_per_hop` at its sender, each
/// byte `seconds_per_byte` on every cable. Within a node nothing counts but `seconds_per_message_inside`.
struct TimeModel {
    double seconds_per_message = 1e-6;
    double seconds_per_message_inside = 0.3e-6;
    double seconds_per_hop = 0.1e-6;
    double seconds_per_byte = 0.08e-9;
};

/// The cost of a placement by all objectives.
struct Cost {
    double hop_bytes = 0;
    double busiest_link_bytes = 0;
    double off_node_bytes = 0;  ///< sent from one node to another, both directions
    double seconds = 0;
    double seconds_at_most = 0;  ///< if all messages are under way at once, and share links fairly
    std::uint32_t nodes = 0;     ///< that hold ranks
};

using Order = std::vector<std::uint32_t>;  ///< the slot of each rank; no slot twice

[[nodiscard]] Cost cost(const Pattern& pattern, const Slots& slots, const Order& order, const TimeModel& model = {});

struct Options {
    Objective objective = Objective::hop_bytes;
    TimeModel model;
    std::uint64_t seed = 1;
    unsigned threads = 1;
    /// The time that each search may take, counted in steps of known duration on a common core; 0: as the number of
    /// ranks suggests.
    double seconds = 0;
    std::vector<std::string> methods;  ///< of the table; empty: all that apply and need not be named
};

struct Placement {
    Order order;
    Cost cost;
    Cost default_cost;        ///< of rank r on slot r
    std::string_view method;  ///< that found it; "default" if nothing is to be gained; "local-search" from the default
};

/// The best of what the methods find, and never worse in the objective than rank r on slot r. The same for a seed, on
/// any number of threads and machines.
///
/// Throws base Error: there are fewer slots than ranks; a method is not in the table.
[[nodiscard]] Placement place(const Pattern& pattern, const Slots& slots, const Options& options);

/// A method of the portfolio. It proposes an order, or none (empty) where it does not apply.
struct Method {
    std::string_view name;
    std::string_view about;  ///< what it does and where it comes from, in one line
    Order (*propose)(const Pattern& pattern, const Slots& slots, const Options& options);
    bool on_request = false;  ///< it is tried where it is named, and else left out
};
[[nodiscard]] const std::vector<Method>& methods();

}  // namespace waywiser::place
