/// The cut of the grid among ranks, their messages in a step, and the memory that a rank needs.
#pragma once

#include "workloads/common/cartesian.hpp"
#include "workloads/tbl/passes.hpp"

#include <array>

namespace waywiser::tbl {

/// Solvers for lines of axis 2 that ranks share.
enum class Solver {
    transpose,    ///< each rank solves whole lines
    partitioned,  ///< each rank eliminates its rows
};

/// Properties that determine the messages of a step.
struct Shape {
    Index3 points;
    Solver solver = Solver::transpose;
    bool open = false;  ///< axis 1 has an inflow and an outflow, and is not periodic
    Scheme scheme = Scheme::cn_ab;
    bool recycled = false;  ///< a plane downstream becomes the inflow

    /// Waves of the pressure along axis 1, and the values of each.
    [[nodiscard]] Index waves() const { return open ? points[0] : points[0] / 2 + 1; }
    [[nodiscard]] Index values_of_wave() const { return open ? 1 : 2; }
};

/// Points of one part, where `parts` share `points` as `Cartesian` cuts them.
[[nodiscard]] constexpr Index share(Index points, Index parts, Index part) {
    return points * (part + 1) / parts - points * part / parts;
}

/// The p1 and p2 with which all ranks together send least.
/// \param wanted  0 leaves the choice
/// \throws InvalidInput  naming the nearest counts of ranks, if none leaves each rank some cells in every pencil
[[nodiscard]] std::array<Index, 2> layout(const Shape& shape, int ranks, const std::array<Index, 2>& wanted);

/// Traffic of all ranks in a step [B].
struct Traffic {
    Index transposed = 0;  ///< bytes by MPI_Alltoallv
    Index halos = 0;       ///< bytes by MPI_Sendrecv
    Index inflow = 0;      ///< bytes by MPI_Alltoallv and MPI_Allgatherv, half of them by each
};
[[nodiscard]] Traffic traffic(const Shape& shape, const std::array<Index, 2>& ranks);

/// Memory of all fields on the rank with most cells [B].
[[nodiscard]] double needed_bytes(const Shape& shape, const std::array<Index, 2>& ranks);

}  // namespace waywiser::tbl
