/// Improves a cut by moving vertices across it.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "place/graph.hpp"

namespace waywiser::place {

struct PartSizes {
    std::int64_t least = 0;  ///< number of ranks in the first part
    std::int64_t most = 0;
};

/// Runs passes of Fiduccia and Mattheyses until one gains nothing. The sizes come as close to their targets as the
/// sizes of vertices allow; during a pass they may deviate by `slack`.
///
/// \param pull  may be empty; see Bisection
/// \return how much cheaper the cut became
double improve_cut(const Graph& graph, std::span<const double> pull, PartSizes sizes, std::int64_t slack,
                   std::vector<std::uint8_t>& part);

/// Sum of the weights of cut edges and of pulls.
[[nodiscard]] double cut_cost(const Graph& graph, std::span<const double> pull, const std::vector<std::uint8_t>& part);

}  // namespace waywiser::place
