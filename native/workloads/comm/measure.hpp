/// Halo exchange on one decomposition: timed, then checked at every point of the grid and its halo.
#pragma once

#include "workloads/comm/exchanges.hpp"
#include "workloads/common/program.hpp"
#include "workloads/common/tries.hpp"

#include <vector>

namespace waywiser::comm {

/// All products p1 p2 p3 = `ranks`, by p1 first. Every rank has a point on each axis, and `halo` points on an axis that
/// is cut.
/// \param wanted  ranks on each axis, where 0 leaves the choice
/// \throws InvalidInput  if there is none
[[nodiscard]] std::vector<Index3> decompositions(const Index3& points, int ranks, Index halo, const Index3& wanted);

/// Traffic of all ranks together in each exchange.
struct Traffic {
    Index messages = 0;
    Index received_points = 0;
    Index largest_message_points = 0;
};

[[nodiscard]] Traffic traffic(const Index3& points, const Index3& ranks, Index halo);

struct Result {
    Tries tries;
    Index wrong;  ///< points, on all ranks
};

/// Collective. Real is float or double.
template <class Real>
[[nodiscard]] Result measure(const Variant& variant, const Index3& points, const Index3& ranks_on_axes, Index halo,
                             Index tries, const Ranks& ranks);

}  // namespace waywiser::comm
