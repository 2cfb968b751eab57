/// Recursive bisection of ranks and machine together, down to single sites.
#pragma once

#include <cstdint>
#include <vector>

#include "place/graph.hpp"
#include "place/sites.hpp"

namespace waywiser::place {

/// Dual recursive bipartitioning (F. Pellegrini, "Static mapping by dual recursive bipartitioning of process and
/// architecture graphs", SHPCC 1994). Ranks that communicate with ranks outside their section are attracted to the
/// nearer half. All sections of one width are cut before narrower sections.
///
/// \param runs  runs for each cut, of which the best is kept
/// \return the site of each rank; no site gets more than it has slots
[[nodiscard]] std::vector<std::uint32_t> multisection(const Graph& graph, const Sites& sites, std::uint64_t seed,
                                                      std::uint32_t runs);

}  // namespace waywiser::place
