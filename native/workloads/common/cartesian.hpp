/// A grid of n1 x n2 x n3 points cut into one box per rank.
#pragma once

#include <array>
#include <cstdint>

namespace waywiser {

using Index = std::int64_t;
/// Values on the three axes, axis 1 first. Points of axis 1 are contiguous in memory.
using Index3 = std::array<Index, 3>;

enum class Side { low, high };

/// Half-open intervals: lo <= i < hi on every axis.
struct Region {
    Index3 lo{};
    Index3 hi{};

    [[nodiscard]] Index extent(std::size_t axis) const { return hi[axis] > lo[axis] ? hi[axis] - lo[axis] : 0; }
    [[nodiscard]] Index points() const { return extent(0) * extent(1) * extent(2); }
};

/// Ranks are numbered along axis 1 first, as points are.
class Cartesian {
public:
    /// \param points  points of the whole grid on each axis
    /// \param ranks   ranks on each axis; their product is the number of ranks
    /// \throws InvalidInput  if a rank would have no point, or if `rank` is out of range
    Cartesian(const Index3& points, const Index3& ranks, int rank);

    [[nodiscard]] const Index3& points() const { return points_; }
    [[nodiscard]] const Index3& ranks() const { return ranks_; }
    [[nodiscard]] const Index3& place() const { return place_; }  ///< coordinates of this rank among the ranks
    [[nodiscard]] const Region& owned() const { return owned_; }  ///< points of this rank in the whole grid
    [[nodiscard]] Index3 owned_points() const;

    /// The rank of the neighbouring box on that side, or -1 at an end of the grid.
    [[nodiscard]] int neighbour(std::size_t axis, Side side) const;

private:
    Index3 points_;
    Index3 ranks_;
    Index3 place_{};
    Region owned_;
};

/// Returns the cut of a grid among ranks with the least data to exchange. A point of a face of axis 1 counts eightfold,
/// because such points are not contiguous in memory, and because cutting that axis shortens the rows. Among equal cuts,
/// the cut that divides axis 3 most is chosen.
///
/// \param requested  required ranks on each axis; 0 permits any number
/// \throws InvalidInput  if there is no such cut
[[nodiscard]] Index3 cut(const Index3& points, int ranks, const Index3& requested = {});

}  // namespace waywiser
