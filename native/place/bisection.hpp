/// Cuts a graph into two parts of given sizes with the least cost of edges between them and of pulls from outside.
#pragma once

#include <cstdint>
#include <vector>

#include "place/graph.hpp"

namespace waywiser::place {

struct Bisection {
    /// Additional cost of each vertex in the second part compared with the first one, by edges to outside vertices. May
    /// be empty.
    std::vector<double> pull;
    std::uint32_t least = 0;  ///< number of ranks in the first part
    std::uint32_t most = 0;
    std::uint64_t seed = 1;
    std::uint32_t runs = 1;   ///< number of runs through all levels, of which the best is kept
    std::uint32_t tries = 4;  ///< number of initial cuts of the coarsest graph in each run
};

/// Multilevel bisection: the graph is coarsened and cut by greedy growing, and the cut is improved on each finer graph
/// by moves along the boundary (C. M. Fiduccia, R. M. Mattheyses, "A linear-time heuristic for improving network
/// partitions", DAC 1982).
///
/// \return for each vertex whether it is in the second part; sizes are exact if all vertices have size 1
[[nodiscard]] std::vector<std::uint8_t> bisect(const Graph& graph, Bisection task);

}  // namespace waywiser::place
