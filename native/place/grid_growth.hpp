/// Coordinates of the vertices of a Cartesian product of lines and rings, grown from one vertex.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "place/pair_graph.hpp"

namespace waywiser::place {

inline constexpr std::uint32_t kMostDimensions = 8;

struct Grid {
    std::vector<std::uint32_t> lengths;
    std::vector<bool> wraps;
    std::vector<std::uint32_t> coordinates;  ///< coordinates of one rank after another
};

/// Finds the coordinates; none if the graph is not a product of at most kMostDimensions lines and rings. Every edge is
/// checked.
[[nodiscard]] std::optional<Grid> grow_grid(const PairGraph& graph);

}  // namespace waywiser::place
