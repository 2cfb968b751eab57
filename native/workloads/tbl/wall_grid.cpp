#include "workloads/tbl/wall_grid.hpp"

#include <cmath>

namespace waywiser::tbl {
namespace {

/// The position between 0 and 1 of a face that would be at `even` on a uniform grid.
double spaced(double even, double stretching, bool both) {
    if (stretching == 0) return even;
    const double full = std::tanh(stretching);
    return both ? (1 + std::tanh(stretching * (2 * even - 1)) / full) / 2
                : 1 + std::tanh(stretching * (even - 1)) / full;
}

}  // namespace

WallGrid::WallGrid(Index cells, double height, double stretching, bool both) {
    for (Index j = 0; j <= cells; ++j) {
        faces_.push_back(height * spaced(static_cast<double>(j) / static_cast<double>(cells), stretching, both));
    }
    faces_.front() = 0;
    faces_.back() = height;
}

double WallGrid::gap(Index j) const {
    if (j < 0) return size(0);
    return j + 1 == cells() ? size(j) : (size(j) + size(j + 1)) / 2;
}

}  // namespace waywiser::tbl
