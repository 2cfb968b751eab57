/// Mapping of ranks to slots with the least cost of communication.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/progress.hpp"
#include "place/pattern.hpp"
#include "place/slots.hpp"

namespace waywiser::place {

inline constexpr std::uint32_t kNone = 0xffffffff;  ///< marks the absence of a rank, a vertex or a place in a queue

/// The cost to minimise.
enum class Objective : std::uint8_t {
    hop_bytes,     ///< bytes times distance, summed over pairs of ranks (half of both directions)
    busiest_link,  ///< bytes over cables of the most loaded link
    time,          ///< time of the slowest rank or link, from latencies and bandwidths [s]
};
constexpr Objective last_of(Objective /*any*/) { return Objective::time; }

/// Seconds of `Objective::time`: each message costs `seconds_per_message + hops * seconds_per_hop` at its sender, and
/// each byte costs `seconds_per_byte` on every cable. Within a node, only `seconds_per_message_inside` counts.
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
    double off_node_bytes = 0;  ///< bytes between nodes, in both directions
    double seconds = 0;
    double seconds_at_most = 0;  ///< if all messages are in flight together and share links fairly
    std::uint32_t nodes = 0;     ///< number of nodes with ranks
};

using Order = std::vector<std::uint32_t>;  ///< the slot of each rank; all slots are different

[[nodiscard]] Cost cost(const Pattern& pattern, const Slots& slots, const Order& order, const TimeModel& model = {});

struct Options {
    Objective objective = Objective::hop_bytes;
    TimeModel model;
    std::uint64_t seed = 1;
    unsigned threads = 1;
    /// The time that each search may take, counted in steps of known duration on a common core; 0: a default that
    /// depends on the number of ranks.
    double seconds = 0;
    std::vector<std::string> methods;  ///< names from the table; empty: all methods that apply without being named
    Progress* progress = nullptr;      ///< in methods and local searches; null: progress is not reported
};

struct Placement {
    Order order;
    Cost cost;
    Cost default_cost;  ///< cost of rank r on slot r
    /// method that found it; "default" without a gain; "local-search" if it started from the default
    std::string_view method;
};

/// The best result of all methods, never worse in the objective than rank r on slot r. The result depends on the seed,
/// not on threads or machines.
/// \throws Error  if there are fewer slots than ranks, or if a method is not in the table
[[nodiscard]] Placement place(const Pattern& pattern, const Slots& slots, const Options& options);

/// A method of the portfolio. It proposes an order, or an empty one if it does not apply.
struct Method {
    std::string_view name;
    std::string_view about;  ///< description and origin, in one line
    Order (*propose)(const Pattern& pattern, const Slots& slots, const Options& options);
    bool on_request = false;  ///< tried only if it is named
};
[[nodiscard]] const std::vector<Method>& methods();

}  // namespace waywiser::place
