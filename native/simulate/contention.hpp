/// The cost of link sharing for the messages of a replay.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "simulate/flows.hpp"
#include "simulate/network.hpp"

namespace waywiser::simulate {

/// Links between nodes, which messages share.
struct Interconnect {
    std::shared_ptr<const machine::Topology> topology;  ///< its nodes are the nodes of the ranks
    Speeds speeds;
    double tolerance = 0.1;  ///< tolerance of rates, as for MaxMin; 0: exact
    std::uint64_t seed = 0;  ///< selects the detours that messages consider, if routing is adaptive
};

/// Takes messages as they are sent, in any order, and returns them in the order in which they have crossed the links.
/// No message may be sent before that time any more: the caller first runs all ranks as far as they can without the
/// messages in flight.
class Contention {
public:
    /// A message that has crossed its links.
    struct Passage {
        std::uint64_t name = 0;
        double latency_ns = 0;  ///< latency of its links
        double delay_ns = 0;    ///< delay by links beyond the limit of its two ends
    };

    /// \throws InvalidInput  there is no topology; a speed or the tolerance is not valid
    explicit Contention(const Interconnect& interconnect);
    Contention(const Contention&) = delete;
    Contention& operator=(const Contention&) = delete;

    /// Number of the route from one node to another, see Network::way().
    [[nodiscard]] std::uint32_t route(std::uint32_t from, std::uint32_t to) { return network_.route(from, to); }

    /// \param name  identifies the message when it is complete
    /// \param transfer_ns  time that the two ends need for its bytes
    /// \param until_sent_ns  the earliest send that this message can cause follows its end by at least this time
    void send(std::uint64_t name, std::uint32_t route, double start_ns, double bytes, double transfer_ns,
              double until_sent_ns);

    /// The message that completes next, followed by all messages that complete before a send that waits for one of them
    /// can start. Empty if no message under way completes before `before_ns`. Valid until the next call.
    [[nodiscard]] std::span<const Passage> next(double before_ns);

    /// Bytes of all messages over each link of the network.
    [[nodiscard]] std::vector<double> carried_bytes() const { return flows_.carried_bytes(); }
    [[nodiscard]] double delays_ns() const noexcept { return delays_ns_; }  ///< sum of delays of all messages
    /// The sum over messages that a link within the network limited when they completed.
    [[nodiscard]] double inner_delays_ns() const noexcept { return inner_delays_ns_; }
    [[nodiscard]] std::uint32_t most_to_a_node() const noexcept { return flows_.most_to_a_node(); }
    [[nodiscard]] const Network& network() const noexcept { return network_; }

private:
    void pass(const FlowSimulator::End& end);

    Network network_;
    FlowSimulator flows_;
    std::vector<Passage> passages_;
    double lookahead_ns_ = FlowSimulator::kEver_ns;  // smallest value of all messages so far
    double delays_ns_ = 0;
    double inner_delays_ns_ = 0;
};

}  // namespace waywiser::simulate
