/// The mapper of the Scotch library, if that is installed.
#pragma once

#include <cstdint>
#include <vector>

#include "place/graph.hpp"
#include "place/sites.hpp"

namespace waywiser::place {

/// Static mapping by Scotch (F. Pellegrini, J. Roman, "Scotch: a software package for static mapping by dual recursive
/// bipartitioning of process and architecture graphs", HPCN Europe 1996). Scotch receives the machine as the tree of
/// Sections with the distances of all sites, and their slots as weights. The library is loaded on first use through its
/// public C interface, with integers of either width.
///
/// \return the site of each rank, some of which may have more ranks than slots
/// \throws base Error  if the library is not installed or fails, or if the machine has too many sites for it
[[nodiscard]] std::vector<std::uint32_t> scotch_mapping(const Graph& graph, const Sites& sites, std::uint64_t seed);

}  // namespace waywiser::place
