/// Slots for ranks.
#pragma once

#include <cstdint>
#include <vector>

#include "machine/topology.hpp"

namespace waywiser::place {

/// Slots within a node at one level: cores that share a cache, a socket. From the narrowest to the widest.
struct NodeLevel {
    std::uint32_t slots = 1;     ///< slots per group of this level; slot s of a node is in group s / slots
    std::uint32_t distance = 0;  ///< distance between two slots of a group that no narrower level joins
};

/// The slots of a job, in its default order: rank r has slot r by default. There may be more slots than ranks, nodes
/// may have unequal numbers, and a node's slots need not be consecutive (round robin).
struct Slots {
    const machine::Topology* topology = nullptr;
    std::vector<std::uint32_t> node;      ///< by slot: the node's number in the topology
    std::vector<std::uint32_t> position;  ///< by slot: its position in its node, from 0
    std::vector<NodeLevel> levels;        ///< empty: all slots of a node are at distance 0

    [[nodiscard]] std::uint32_t count() const noexcept { return static_cast<std::uint32_t>(node.size()); }
};

/// Distance between two slots: 0 for the same slot; within a node, the distance of the narrowest level that holds both;
/// between nodes, the topology's hops.
[[nodiscard]] std::uint32_t distance(const Slots& slots, std::uint32_t a, std::uint32_t b) noexcept;

}  // namespace waywiser::place
