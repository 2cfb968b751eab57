/// Swaps ranks by true distances.
#pragma once

#include <cstdint>
#include <vector>

#include "place/graph.hpp"
#include "place/sites.hpp"

namespace waywiser::place {

struct SwapSearch {
    std::uint64_t seed = 1;
    std::uint64_t steps = 0;  ///< number of swaps that are evaluated
    double temperature = 0;   ///< initial temperature, relative to the mean weight of an edge
};

/// Simulated annealing from a good start (S. Kirkpatrick, C. D. Gelatt, M. P. Vecchi, "Optimization by simulated
/// annealing", Science 220, 1983), in which ranks are only tried near their partners.
void improve_by_swaps(const Graph& graph, const Sites& sites, const SwapSearch& search,
                      std::vector<std::uint32_t>& site_of);

}  // namespace waywiser::place
