/// Cartesian stencils, detected in the traffic between ranks, whatever their numbering.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "place/pattern.hpp"

namespace waywiser::place {

/// Ranks on a grid, each of which communicates with its neighbours.
struct Stencil {
    struct Dimension {
        std::uint32_t length = 2;
        bool wraps = false;
        /// Mean bytes between a place and the next along the dimension, diagonal messages included; half of both
        /// directions.
        double bytes = 0;
    };
    std::vector<Dimension> dimensions;
    std::vector<std::uint32_t> coordinates;  ///< coordinates of one rank after another, one for each dimension

    /// Bytes between ranks whose coordinates differ by at most one in each dimension, over all bytes.
    double explained = 0;
    /// All bytes are explained, and each offset applies to every rank that has a rank at that offset.
    bool exact = false;

    [[nodiscard]] const std::uint32_t* at(std::uint32_t rank) const noexcept {
        return &coordinates[std::size_t{rank} * dimensions.size()];
    }
};

/// Finds the grid of a pattern, or none. Neighbours along each dimension must all communicate, with weights that no
/// other pair of ranks has; if diagonal neighbours have the same weight, squares distinguish them. Further pairs may
/// exist. A ring of four is returned as a grid of two by two. The time grows with the pairs of ranks, times the
/// partners of each rank if diagonals must be distinguished.
///
/// Along an edge of a Cartesian product each other edge has exactly one parallel, the far side of their square. The
/// directions at one rank therefore give those at its neighbours (W. Imrich, I. Peterin, "Recognizing Cartesian
/// products in linear time", Discrete Mathematics 307, 2007).
[[nodiscard]] std::optional<Stencil> find_stencil(const Pattern& pattern);

}  // namespace waywiser::place
