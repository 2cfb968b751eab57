/// A periodic lattice of four axes, cut into one box per rank.
#pragma once

#include "workloads/common/cartesian.hpp"

#include <array>
#include <string>

namespace waywiser::lattice {

/// Values on the axes x, y, z and t.
using Index4 = std::array<Index, 4>;

inline constexpr std::size_t axes = 4;

/// Directions of a hop: forwards and then backwards along each axis.
inline constexpr int directions = 8;
[[nodiscard]] constexpr int forward(std::size_t axis) { return 2 * static_cast<int>(axis); }
[[nodiscard]] constexpr int backward(std::size_t axis) { return 2 * static_cast<int>(axis) + 1; }

/// Text of the form "8 x 8 x 8 x 16".
[[nodiscard]] std::string product_text(const Index4& n);
[[nodiscard]] Index product(const Index4& n);

/// Ranks are numbered along x first; all have boxes of the same size.
class Torus {
public:
    Torus(const Index4& extents, const Index4& ranks, Index rank);

    [[nodiscard]] const Index4& extents() const { return extents_; }
    [[nodiscard]] const Index4& ranks() const { return ranks_; }
    [[nodiscard]] const Index4& local() const { return local_; }  ///< extents of a rank's box
    [[nodiscard]] bool is_cut(std::size_t axis) const { return ranks_[axis] > 1; }
    [[nodiscard]] Index neighbour(int direction) const;
    /// Coordinates of a site of this rank's box in the whole lattice.
    [[nodiscard]] Index4 global(const Index4& site) const;
    /// Number of a site of the whole lattice.
    [[nodiscard]] Index number(const Index4& site) const;

private:
    Index4 extents_, ranks_, local_;
    Index4 place_{};
};

/// Bytes of each message along an axis: half spinors, of two spins and three colours, for each site of one parity on a
/// face of the box.
[[nodiscard]] Index message_bytes(const Torus& torus, std::size_t axis);

/// The grid of ranks with the least communication; among equals, the grid that cuts t most, then z.
/// \param requested  required ranks on each axis; 0 permits any number
/// \throws InvalidInput  with the possible grids, if no grid gives each rank even extents
[[nodiscard]] Index4 rank_grid(const Index4& extents, Index ranks, const Index4& requested);

}  // namespace waywiser::lattice
