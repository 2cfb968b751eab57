/// The axes of a regular machine, along which a grid of ranks can be folded.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "place/slots.hpp"

namespace waywiser::place {

/// One direction in which slots are numbered. Examples are the cores of a socket, the nodes of a switch, a dimension of
/// a torus, or the vertices of a hypercube in Gray-code order.
struct Axis {
    std::uint32_t length = 1;
    /// node at each position, with the other axes at their start; empty within a node
    std::vector<std::uint32_t> nodes;
    std::uint32_t inside = 0;  ///< distance between any two positions within a node

    [[nodiscard]] double distance(const machine::Topology& topology, std::uint32_t a, std::uint32_t b) const {
        return nodes.empty() ? inside : topology.hops(nodes[a], nodes[b]);
    }
};

struct MachineAxes {
    std::vector<Axis> axes;  ///< in order from the inside out
    std::size_t first_of_grid = 0;
    std::size_t end_of_grid = 0;         ///< axes before this index are parallel, none nested in another
    std::vector<std::uint32_t> slot_at;  ///< slot by position in mixed radix, the first axis fastest
    std::vector<std::uint32_t> strides;  ///< strides of the axes in `slot_at`
};

/// The axes of these slots; none if nodes have unequal numbers of slots, or fill neither a box nor groups of equal
/// size.
[[nodiscard]] std::optional<MachineAxes> machine_axes(const Slots& slots, std::vector<std::uint32_t> slots_used);

}  // namespace waywiser::place
