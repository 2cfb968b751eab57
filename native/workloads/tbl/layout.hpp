/// The cut of the grid among ranks, what they send in a step, and the memory that a rank needs.
#pragma once

#include "workloads/common/cartesian.hpp"

#include <array>

namespace waywiser::tbl {

/// How ranks solve the lines of axis 2 that they share.
enum class Solver {
    transpose,    ///< each solves whole lines
    partitioned,  ///< each eliminates its rows
};

/// Points of one part, where `parts` share `points` as `Cartesian` cuts them.
[[nodiscard]] constexpr Index share(Index points, Index parts, Index part) {
    return points * (part + 1) / parts - points * part / parts;
}

/// p1 and p2: those with which all ranks together send least.
/// \param wanted  0 leaves the choice
/// \throws InvalidInput  naming the nearest counts of ranks, if none leaves each rank some cells in every pencil
[[nodiscard]] std::array<Index, 2> layout(const Index3& points, int ranks, const std::array<Index, 2>& wanted,
                                          Solver solver);

/// Traffic of all ranks in a step [B].
struct Traffic {
    Index transposed = 0;  ///< by MPI_Alltoallv
    Index halos = 0;       ///< by MPI_Sendrecv
};
[[nodiscard]] Traffic traffic(const Index3& points, const std::array<Index, 2>& ranks, Solver solver);

/// Memory of all fields on the rank with most cells [B].
[[nodiscard]] double needed_bytes(const Index3& points, const std::array<Index, 2>& ranks, Solver solver);

}  // namespace waywiser::tbl
