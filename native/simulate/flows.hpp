/// Messages as flows that share the links of a network, event by event.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "base/stable_items.hpp"
#include "simulate/adaptive_routing.hpp"
#include "simulate/deadlines.hpp"
#include "simulate/event_queue.hpp"
#include "simulate/max_min.hpp"
#include "simulate/network.hpp"

namespace waywiser::simulate {

/// A message from one node to another.
struct Transmission {
    std::uint32_t from = 0;
    std::uint32_t to = 0;
    double start_ns = 0;
    double bytes = 0;
};

/// A message occupies links from its start on, at its fair rate among the messages in flight, which changes whenever
/// one starts or completes. A message to the same node, or without bytes, completes at once.
class FlowSimulator {
public:
    struct End {
        std::uint64_t flow = 0;    ///< name of the flow
        double at_ns = 0;          ///< time at which its last byte has left the links, without latency
        double alone_ns = 0;       ///< time at which that would be if links were unlimited
        double latency_ns = 0;     ///< latency of its way
        bool held_inside = false;  ///< at its end, a link of neither of its nodes limited it
    };

    static constexpr double kEver_ns = Deadlines::kNever_ns;

    /// The network must outlive the object.
    /// \param tolerance  tolerance of rates, as for MaxMin; 0: exact
    /// \param seed  selects the detours that messages consider, if routing is adaptive
    /// \throws InvalidInput  the tolerance is not from 0 to below 1
    explicit FlowSimulator(Network& network, double tolerance = 0, std::uint64_t seed = 0);

    /// \param name  identifies the flow at its end
    /// \param route  number of the network's route: the minimal one if routing is adaptive
    /// \param start_ns  no earlier than the last reported end; earlier values are raised to it
    /// \param transfer_ns  time of its two ends for its bytes; the flow is as fast as they and the links allow
    /// \throws InvalidInput  the start is not finite; the size, or the transfer, is negative or not finite
    void start(std::uint64_t name, std::uint32_t route, double start_ns, double bytes, double transfer_ns = 0);

    /// The flows that end next, all at the same time, if no other flow starts before; empty if none ends before
    /// `before_ns`. Valid until the next call.
    [[nodiscard]] std::span<const End> next(double before_ns = kEver_ns);

    /// The largest number of simultaneous flows to one node.
    [[nodiscard]] std::uint32_t most_to_a_node() const noexcept { return most_to_a_node_; }
    /// Bytes of all messages over each link of the network.
    [[nodiscard]] std::vector<double> carried_bytes() const;

private:
    /// A start; the struct is small because it is moved within the queue.
    struct Start {
        double at_ns = 0;
        std::uint32_t number = 0;  // index in waiting_
        std::uint32_t route = 0;

        [[nodiscard]] bool operator<(const Start& other) const noexcept {
            return at_ns < other.at_ns || (at_ns == other.at_ns && number < other.number);
        }
    };
    /// Data of a message that are needed when it starts.
    struct alignas(32) Waiting {
        std::uint64_t name = 0;
        double bytes = 0;
        double transfer_ns = 0;
        double alone_ns = 0;
    };
    /// Data of a flow that are needed at its end: two flows share a cache line.
    struct alignas(32) Flow {
        double alone_ns = 0;
        double latency_ns = 0;
        std::uint64_t name = 0;
        std::uint32_t route = 0;
        std::uint32_t target : 31 = 0;      // node
        std::uint32_t needs_inner : 1 = 0;  // `needs_inner` of the network
    };
    static_assert(sizeof(Flow) == 32);

    void carry(std::uint32_t route, double bytes);
    [[nodiscard]] bool advance(double before_ns);
    void extend_routes();
    void begin(const Start& start);
    void pop_start();
    void fetch_ahead() const;
    void end(std::uint32_t flow);
    void follow(const MaxMin::Change& change);
    [[nodiscard]] bool is_held_inside(std::uint32_t flow) const;

    Network* network_;
    std::uint32_t revision_ = 0;  // revision of the network to which the routes of flows belong
    MaxMin rates_;
    std::optional<AdaptiveRouting> routing_;  // none: messages take minimal routes
    std::vector<Flow> flows_;                 // indexed by number in rates_
    std::vector<double> bytes_;               // indexed by number in rates_
    Deadlines dues_;                          // indexed by number in rates_
    std::vector<std::uint32_t> to_node_;      // flows under way, by node
    std::uint32_t most_to_a_node_ = 0;
    std::vector<double> carried_;  // bytes, indexed by way
    EventQueue<Start> starts_;
    StableItems<Waiting> waiting_;
    std::vector<std::uint32_t> free_;  // free places in waiting_
    std::vector<End> ended_;           // flows that ended at now_ns_
    double now_ns_ = 0;
};

/// Time at which the last byte of each message arrives, including latency.
///
/// \throws InvalidInput  as Network::way and FlowSimulator do
[[nodiscard]] std::vector<double> arrivals_ns(Network& network, std::span<const Transmission> messages,
                                              double tolerance = 0, std::uint64_t seed = 0);

}  // namespace waywiser::simulate
