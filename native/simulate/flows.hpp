/// Messages as flows that share the links of a network, event by event.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/stable_items.hpp"
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

/// A message occupies links from its start on, at the fair rate among messages under way, which changes whenever one
/// starts or completes. A message to the same node, or without bytes, completes at once.
class FlowSimulator {
public:
    struct End {
        std::uint64_t flow = 0;    ///< as it was called
        double at_ns = 0;          ///< its last byte has left the links; latency not counted
        double alone_ns = 0;       ///< when that would be if links were no limit
        double latency_ns = 0;     ///< of its way
        bool held_inside = false;  ///< in the end, by a link of neither of its nodes
    };

    static constexpr double kEver_ns = Deadlines::kNever_ns;

    /// Refers to the network.
    ///
    /// \param tolerance  of rates, as MaxMin has it: 0 for exact ones
    /// \throws InvalidInput  the tolerance is not from 0 to below 1
    explicit FlowSimulator(Network& network, double tolerance = 0);

    /// \param name  identifies the flow at its end
    /// \param way  of the network
    /// \param start_ns  no earlier than the last reported end; earlier values are raised to it
    /// \param transfer_ns  what its ends take for its bytes: it is as fast as these and the links allow
    /// \throws InvalidInput  the start is not finite; the size, or the transfer, is negative or not finite
    void start(std::uint64_t name, std::uint32_t way, double start_ns, double bytes, double transfer_ns = 0);

    /// The flows that end next, all at one time, if no other is started before; none if all that end before then are
    /// through. Valid until the next call.
    [[nodiscard]] std::span<const End> next(double before_ns = kEver_ns);

    /// The most flows that were under way to one node at once.
    [[nodiscard]] std::uint32_t most_to_a_node() const noexcept { return most_to_a_node_; }

private:
    /// A start; small, as it is moved from place to place until then.
    struct Start {
        double at_ns = 0;
        std::uint32_t number = 0;  // in waiting_
        std::uint32_t way = 0;

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
        std::uint32_t way = 0;
        std::uint32_t target : 31 = 0;      // node
        std::uint32_t needs_inner : 1 = 0;  // links, as Network has it
    };
    static_assert(sizeof(Flow) == 32);

    [[nodiscard]] bool advance(double before_ns);
    void extend_routes();
    void begin(const Start& start);
    void pop_start();
    void fetch_ahead() const;
    void end(std::uint32_t flow);
    void follow(const MaxMin::Change& change);
    [[nodiscard]] bool is_held_inside(std::uint32_t flow) const;

    Network* network_;
    std::uint32_t revision_ = 0;  // of the network, that routes of flows are of
    MaxMin rates_;
    std::vector<Flow> flows_;             // by their numbers in rates_
    std::vector<double> bytes_;           // by their numbers in rates_
    Deadlines dues_;                      // by their numbers in rates_
    std::vector<std::uint32_t> to_node_;  // flows under way, by node
    std::uint32_t most_to_a_node_ = 0;
    EventQueue<Start> starts_;
    StableItems<Waiting> waiting_;
    std::vector<std::uint32_t> free_;  // places in waiting_
    std::vector<End> ended_;           // at now_ns_
    double now_ns_ = 0;
};

/// When the last byte of each message arrives, with its latency.
///
/// \throws InvalidInput  as Network::way, and FlowSimulator, do
[[nodiscard]] std::vector<double> arrivals_ns(Network& network, std::span<const Transmission> messages,
                                              double tolerance = 0);

}  // namespace waywiser::simulate
