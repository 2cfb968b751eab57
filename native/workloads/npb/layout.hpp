/// The cut of the cube among ranks, and the memory that a rank needs.
#pragma once

#include "workloads/common/cartesian.hpp"

#include <string_view>

namespace waywiser::npb {

/// Ranks on each axis. LU leaves axis 3 whole, BT and SP axis 1; the other two are cut as evenly as the count allows.
/// \throws InvalidInput  naming the nearest counts, if none leaves each rank what a halo takes
[[nodiscard]] Index3 layout(std::string_view benchmark, Index points, int ranks);

/// Of the fields and of what elimination keeps, on the rank with most points [B].
[[nodiscard]] double needed_bytes(std::string_view benchmark, const Index3& points, const Index3& ranks);

}  // namespace waywiser::npb
