/// A topology with the speeds of its links: what messages share, and which of it each needs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "base/flat_map.hpp"
#include "machine/topology.hpp"

namespace waywiser::simulate {

struct Speeds {
    double link_bytes_per_ns = 0;  ///< of one cable, in each direction
    /// What a node sends, and what it receives, over all of its cables. It is the only limit between nodes that share a
    /// switch where these hang on it by many cables.
    double card_bytes_per_ns = std::numeric_limits<double>::infinity();
    double hop_ns = 0;  ///< latency of each link
};

/// Links are numbered as in the topology; where cards have a limit, those of all nodes follow, first outwards, then
/// inwards.
class Network {
public:
    /// Refers to the topology.
    ///
    /// \throws InvalidInput  a speed is not above 0, or the latency is negative
    Network(const machine::Topology& topology, const Speeds& speeds);

    [[nodiscard]] const machine::Topology& topology() const noexcept { return *topology_; }
    /// Of each link, in bytes/ns.
    [[nodiscard]] const std::vector<double>& capacities() const noexcept { return capacities_; }

    /// The way from node a to node b: worked out when it is first asked for, then kept.
    ///
    /// \throws InvalidInput  there is no such node
    std::uint32_t way(std::uint32_t a, std::uint32_t b);

    /// Each link once, with the share of the message that crosses it. None from a node to itself. They stay where they
    /// are as long as the network does.
    [[nodiscard]] std::span<const machine::Share> links(std::uint32_t way) const noexcept { return ways_[way].links; }
    [[nodiscard]] std::size_t ways() const noexcept { return ways_.size(); }
    /// Nanoseconds from the first byte's start to its arrival.
    [[nodiscard]] double latency_ns(std::uint32_t way) const noexcept { return ways_[way].latency_ns; }

private:
    struct Way {
        std::vector<machine::Share> links;
        double latency_ns = 0;
    };

    void append_way(std::uint32_t a, std::uint32_t b);

    const machine::Topology* topology_;
    Speeds speeds_;
    std::vector<double> capacities_;
    std::vector<Way> ways_;
    FlatMap<std::uint32_t> way_of_pair_;  // plus 1
};

}  // namespace waywiser::simulate
