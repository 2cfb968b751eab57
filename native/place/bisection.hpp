/// A graph cut in two parts of given sizes so that the edges between them, and what pulls from outside, cost least.
#pragma once

#include <cstdint>
#include <vector>

#include "place/graph.hpp"

namespace waywiser::place {

struct Bisection {
    /// Cost of each vertex in the second part over that in the first one: what joins it to vertices outside. May be
    /// empty.
    std::vector<double> pull;
    std::uint32_t least = 0;  ///< ranks in the first part
    std::uint32_t most = 0;
    std::uint64_t seed = 1;
    std::uint32_t runs = 1;   ///< through all levels, of which the best is taken
    std::uint32_t tries = 4;  ///< first cuts of the coarsest graph, in each run
};

/// Multilevel: the graph is made coarse, cut by greedy growing, and the cut improved on each finer graph by moves
/// along the boundary (C. M. Fiduccia, R. M. Mattheyses, "A linear-time heuristic for improving network partitions",
/// DAC 1982).
///
/// \return for each vertex whether it is in the second part; sizes are exact if all vertices have size 1
[[nodiscard]] std::vector<std::uint8_t> bisect(const Graph& graph, Bisection task);

}  // namespace waywiser::place
