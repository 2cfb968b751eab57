/// What the sharing of links costs the messages of a replay.
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
    std::shared_ptr<const machine::Topology> topology;  ///< its nodes are those that ranks are on
    Speeds speeds;
    double tolerance = 0.1;  ///< of rates, as MaxMin has it; 0: exact
};

/// Takes messages as they are sent, in any order, and gives them back in the order in which they have crossed the
/// links. Nobody may send before that time any more: whoever calls lets all ranks run as far as they can without the
/// messages that are under way.
class Contention {
public:
    /// A message that is through.
    struct Passage {
        std::uint64_t name = 0;
        double latency_ns = 0;  ///< of its links
        double delay_ns = 0;    ///< by links: what its ends alone would not have lost
    };

    /// \throws InvalidInput  there is no topology; a speed or the tolerance is not what is accepted
    explicit Contention(const Interconnect& interconnect);
    Contention(const Contention&) = delete;
    Contention& operator=(const Contention&) = delete;

    /// Number of the way from one node to another, see Network::way().
    [[nodiscard]] std::uint32_t way(std::uint32_t from, std::uint32_t to) { return network_.way(from, to); }

    /// \param name  what it is called when it is through
    /// \param transfer_ns  what its ends take for its bytes
    /// \param until_sent_ns  nobody sends sooner than this after it is through because of that
    void send(std::uint64_t name, std::uint32_t way, double start_ns, double bytes, double transfer_ns,
              double until_sent_ns);

    /// The message that is through next. Further messages are those that are through before anything can be sent that
    /// waits for one of these messages. Empty if no message under way is through before `before_ns`. Valid until the
    /// next call.
    [[nodiscard]] std::span<const Passage> next(double before_ns);

    /// Over each link of the network, of all messages.
    [[nodiscard]] std::vector<double> carried_bytes() const;
    [[nodiscard]] double delays_ns() const noexcept { return delays_ns_; }  ///< sum over all messages
    /// The delays of those messages that a link within the network held up in the end.
    [[nodiscard]] double inner_delays_ns() const noexcept { return inner_delays_ns_; }
    [[nodiscard]] std::uint32_t most_to_a_node() const noexcept { return flows_.most_to_a_node(); }
    [[nodiscard]] const Network& network() const noexcept { return network_; }

private:
    void pass(const FlowSimulator::End& end);

    Network network_;
    FlowSimulator flows_;
    std::vector<double> bytes_;  // by way
    std::vector<Passage> passages_;
    double lookahead_ns_ = FlowSimulator::kEver_ns;  // of all messages so far
    double delays_ns_ = 0;
    double inner_delays_ns_ = 0;
};

}  // namespace waywiser::simulate
