/// Improves a cut by moving vertices across it.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "place/graph.hpp"

namespace waywiser::place {

struct PartSizes {
    std::int64_t least = 0;  ///< ranks in the first part
    std::int64_t most = 0;
};

/// Passes of Fiduccia and Mattheyses until one gains nothing. The sizes come as near to what they should be as the
/// sizes of vertices allow; a pass may leave them by `slack` on its way.
///
/// \param pull  may be empty; see Bisection
/// \return how much cheaper the cut became
double improve_cut(const Graph& graph, std::span<const double> pull, PartSizes sizes, std::int64_t slack,
                   std::vector<std::uint8_t>& part);

/// Weights of the edges cut, and of pulls.
[[nodiscard]] double cut_cost(const Graph& graph, std::span<const double> pull, const std::vector<std::uint8_t>& part);

}  // namespace waywiser::place
