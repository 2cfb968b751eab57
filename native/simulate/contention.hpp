/// What the sharing of links costs the messages of a replay.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
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
        std::uint32_t name = 0;
        double latency_ns = 0;  ///< of its links
        double delay_ns = 0;    ///< by those that shared them: what it would not have lost by itself
    };

    /// \throws InvalidInput  there is no topology; a speed or the tolerance is not what is accepted
    explicit Contention(const Interconnect& interconnect);
    Contention(const Contention&) = delete;
    Contention& operator=(const Contention&) = delete;

    /// \param name  that no message under way has
    void send(std::uint32_t name, const Transmission& transmission);

    /// The message that is through next; none if nothing is under way.
    [[nodiscard]] std::optional<Passage> next();

    /// Over each link of the network, of all messages.
    [[nodiscard]] const std::vector<double>& carried_bytes() const noexcept { return carried_bytes_; }
    [[nodiscard]] double delays_ns() const noexcept { return delays_ns_; }  ///< sum over all messages
    [[nodiscard]] const Network& network() const noexcept { return network_; }

private:
    struct UnderWay {
        std::uint32_t way = 0;
        double alone_ns = 0;  // when it would be through by itself
    };

    Network network_;
    FlowSimulator flows_;
    std::vector<UnderWay> under_way_;  // by name
    std::vector<double> carried_bytes_;
    double delays_ns_ = 0;
};

}  // namespace waywiser::simulate
