/// The decomposition of the grid among ranks, the traffic of a step, and the memory of a rank.
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
    bool recycled = false;  ///< the inflow is recycled from a plane downstream

    /// Number of waves of the pressure along axis 1, and number of values of a wave.
    [[nodiscard]] Index waves() const { return open ? points[0] : points[0] / 2 + 1; }
    [[nodiscard]] Index values_of_wave() const { return open ? 1 : 2; }
};

/// Number of points of one part, where `points` are divided into `parts` as in `Cartesian`.
[[nodiscard]] constexpr Index share(Index points, Index parts, Index part) {
    return points * (part + 1) / parts - points * part / parts;
}

/// The p1 and p2 that minimise the traffic of all ranks.
/// \param requested  required p1 and p2; 0 leaves the choice
/// \throws InvalidInput  if no cut gives each rank cells in every pencil; the message names the nearest valid counts
[[nodiscard]] std::array<Index, 2> layout(const Shape& shape, int ranks, const std::array<Index, 2>& requested);

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
