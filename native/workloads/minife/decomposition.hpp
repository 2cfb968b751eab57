/// Recursive bisection of the elements into one box per rank, even or with a given load imbalance.
#pragma once

#include "workloads/minife/mesh.hpp"

#include <span>
#include <vector>

namespace waywiser::minife {

/// The boxes of all ranks, ordered by rank. Every rank computes all of them, which saves communication.
///
/// Cuts z, then y, x, z, ... in proportion to the ranks on either side. For a load imbalance, cuts then move by one
/// layer at a time in favour of the largest box. The cut nearest to that box in the tree of cuts moves first.
///
/// \throws InvalidInput  if a rank would have no element, or if the imbalance cannot be reached
[[nodiscard]] std::vector<Box> decompose(const Index3& elements, int ranks, double load_imbalance_percent);

/// Excess of the largest box over the average [%].
[[nodiscard]] double load_imbalance_percent(std::span<const Box> boxes);

}  // namespace waywiser::minife
