/// The wall-normal axis: cells between two walls, refined towards the walls.
#pragma once

#include "workloads/common/cartesian.hpp"

#include <vector>

namespace waywiser::tbl {

class WallGrid {
public:
    /// \param stretching  coefficient of the hyperbolic tangent that spaces the faces; 0: uniform
    /// \param both        true: refined at both walls; false: at the lower wall alone
    WallGrid(Index cells, double height, double stretching, bool both);

    [[nodiscard]] Index cells() const { return static_cast<Index>(faces_.size()) - 1; }
    /// Size of cell j between faces j and j + 1.
    [[nodiscard]] double size(Index j) const { return at(j + 1) - at(j); }
    [[nodiscard]] double centre(Index j) const { return (at(j) + at(j + 1)) / 2; }
    [[nodiscard]] double face(Index j) const { return at(j); }
    /// Distance between the centres of cells j and j + 1, j from -1: the cell beyond a wall mirrors the last cell.
    [[nodiscard]] double gap(Index j) const;

private:
    [[nodiscard]] double at(Index j) const { return faces_[static_cast<std::size_t>(j)]; }

    std::vector<double> faces_;
};

}  // namespace waywiser::tbl
