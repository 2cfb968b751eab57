/// Groups of nodes within groups.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "machine/topology.hpp"

namespace waywiser::machine {

/// Appends a grouping, its groups numbered anew by their first nodes; not one that is no narrower than the last, nor
/// one whose groups are single nodes.
void append_narrower(std::vector<Grouping>& all, std::vector<std::uint32_t> group_of_node);

/// The same for groups of `size` consecutive nodes each.
void append_blocks(std::vector<Grouping>& all, std::uint32_t nodes, std::uint32_t size);

/// Boxes of a grid, from its halves down: each division is of the longest side of a box, by the smallest number that
/// divides it; of equal sides, of the slowest running.
[[nodiscard]] std::vector<Grouping> halvings(std::span<const std::uint32_t> lengths, std::uint32_t nodes_per_vertex);

}  // namespace waywiser::machine
