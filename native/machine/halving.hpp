/// Boxes of a grid, nested: its longest side is divided again and again.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "machine/topology.hpp"

namespace waywiser::machine {

/// From the whole grid down to boxes of two or three vertices. Each division is of the longest side of a box, by the
/// smallest number that divides it; of equal sides, of the slowest running.
///
/// \param nodes_per_vertex  0 if the vertices are the nodes
[[nodiscard]] std::vector<Grouping> halvings(std::span<const std::uint32_t> lengths, std::uint32_t nodes_per_vertex);

}  // namespace waywiser::machine
