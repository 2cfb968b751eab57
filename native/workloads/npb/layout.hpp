/// Decomposition of the cube among ranks, and the memory that a rank needs.
#pragma once

#include "workloads/common/cartesian.hpp"

#include <array>
#include <string_view>
#include <vector>

namespace waywiser::npb {

/// The boxes of a rank, and the ranks with the boxes next to them.
///
/// Pencils: one box per rank. Multipartition: p x p ranks have p boxes each, one in each slab of each axis. All ranks
/// therefore have a box to work on, whichever slab a sweep has reached. On each side, the neighbours of all boxes of a
/// rank belong to a single rank. Source: J. Bruno, P. R. Cappello, "Implementing the Beam and Warming method on the
/// hypercube", Third Conference on Hypercube Concurrent Computers and Applications, 1988, pp. 1073-1087.
struct Partition {
    std::string_view name;
    std::vector<Cartesian> boxes;                 ///< boxes of this rank, each with its place among all boxes
    std::array<std::array<int, 2>, 3> neighbour;  ///< rank on the low and high side of each axis, or -1
    bool as_npb = false;  ///< sends NPB's messages: the same calls, in the same number and of the same size

    [[nodiscard]] bool multiple() const { return name == "multipartition"; }
    [[nodiscard]] const Index3& boxes_on_axes() const { return boxes.front().ranks(); }
};

/// LU leaves axis 3 whole, BT and SP axis 1; the other two axes are cut as evenly as the count allows. With `as_npb`,
/// LU has more ranks on axis 1 than on axis 2, otherwise fewer, so that rows of axis 1 stay long.
/// \throws InvalidInput  with the nearest valid counts, if a rank would have too few points for a halo, or for NPB
[[nodiscard]] Partition pencils(std::string_view benchmark, Index points, int ranks, int rank, bool as_npb);

/// \throws InvalidInput  with the nearest valid counts, unless `ranks` is a square number and each box has enough
///                       points for a halo, or for NPB
[[nodiscard]] Partition multipartition(Index points, int ranks, int rank, bool as_npb);

/// Memory of the fields and of the data that elimination keeps, on a rank [B].
[[nodiscard]] double needed_bytes(std::string_view benchmark, const Partition& partition);

}  // namespace waywiser::npb
