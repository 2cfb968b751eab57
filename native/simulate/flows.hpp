/// Messages as flows that share the links of a network, event by event.
#pragma once

#include <cstdint>
#include <optional>
#include <queue>
#include <span>
#include <vector>

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

/// A message takes links from its start on, at the fair rate among those that are under way, which changes whenever one
/// starts or is through. From a node to itself, and without bytes, it is through at once.
class FlowSimulator {
public:
    struct End {
        std::uint32_t flow = 0;  ///< as it was called
        double at_ns = 0;        ///< its last byte has left the links; latency not counted
    };

    /// Refers to the network.
    ///
    /// \param tolerance  of rates, as MaxMin has it: 0 for exact ones
    /// \throws InvalidInput  the tolerance is not from 0 to below 1
    explicit FlowSimulator(Network& network, double tolerance = 0);

    /// \param name  what it is called when it ends
    /// \param way  of the network
    /// \param start_ns  no earlier than the end that was told last, or else it is that
    /// \throws InvalidInput  the start is not finite; the size is negative or not finite
    void start(std::uint32_t name, std::uint32_t way, double start_ns, double bytes);

    /// The flow that ends next, if no other is started before; none if all are through.
    [[nodiscard]] std::optional<End> next();

private:
    struct Start {
        double at_ns = 0;
        double bytes = 0;
        std::uint32_t way = 0;
        std::uint32_t name = 0;
        std::uint64_t order = 0;  // in which they were asked for: of those that start together
        bool operator>(const Start& other) const noexcept {
            return at_ns != other.at_ns ? at_ns > other.at_ns : order > other.order;
        }
    };
    struct Flow {
        double bytes_left = 0;
        double rate = 0;
        double since_ns = 0;  // when bytes_left and rate were so
        std::uint32_t name = 0;
        std::uint32_t version = 0;
    };
    struct Due {
        double at_ns = 0;
        std::uint32_t flow = 0;
        std::uint32_t version = 0;
        bool operator>(const Due& other) const noexcept {
            return at_ns != other.at_ns ? at_ns > other.at_ns : flow > other.flow;
        }
    };
    template <class Item>
    using Earliest = std::priority_queue<Item, std::vector<Item>, std::greater<>>;

    [[nodiscard]] bool advance();
    void begin(const Start& start);
    void end(const Due& due);
    void follow(std::uint32_t flow);

    Network* network_;
    MaxMin rates_;
    std::vector<Flow> flows_;  // by their numbers in rates_
    Earliest<Start> starts_;
    Earliest<Due> ends_;      // some outdated
    std::vector<End> ended_;  // at now_ns_, not yet told
    std::size_t told_ = 0;
    std::uint64_t asked_ = 0;
    double now_ns_ = 0;
};

/// When the last byte of each message arrives, with its latency.
///
/// \throws InvalidInput  as Network::way, and FlowSimulator, do
[[nodiscard]] std::vector<double> arrivals_ns(Network& network, std::span<const Transmission> messages,
                                              double tolerance = 0);

}  // namespace waywiser::simulate
