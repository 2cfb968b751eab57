/// Nested groups of nodes.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "machine/topology.hpp"

namespace waywiser::machine {

/// Appends a grouping, its groups renumbered by their first nodes. A grouping that does not narrow the last one, or
/// whose groups are single nodes, is skipped.
void append_narrower(std::vector<Grouping>& all, std::vector<std::uint32_t> group_of_node);

/// Appends a grouping of `size` consecutive nodes each, under the conditions of append_narrower().
void append_blocks(std::vector<Grouping>& all, std::uint32_t nodes, std::uint32_t size);

/// Groupings by boxes of a grid, from its halves down. Each division cuts the longest side of a box by the smallest
/// number that divides it. If sides are equal, the slowest running is cut.
[[nodiscard]] std::vector<Grouping> halvings(std::span<const std::uint32_t> lengths, std::uint32_t nodes_per_vertex);

}  // namespace waywiser::machine
