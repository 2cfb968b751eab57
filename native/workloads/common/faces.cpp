#include "workloads/common/faces.hpp"

#include "base/error.hpp"

#include <algorithm>
#include <limits>
#include <string>

namespace waywiser {
namespace {

/// Checks the shortest box of any rank. The lengths of p parts of n points differ by at most one.
void require_width(const Cartesian& cartesian, std::size_t axis, Index width) {
    const Index least = cartesian.points()[axis] / cartesian.ranks()[axis];
    require(cartesian.ranks()[axis] == 1 || least >= width,
            std::to_string(cartesian.ranks()[axis]) + " ranks on axis " + std::to_string(axis + 1) +
                " leave one with " + std::to_string(least) + " points, and its neighbours need " +
                std::to_string(width) + ": give fewer ranks on that axis, more points, or a lower order");
}

}  // namespace

std::vector<Face> find_faces(const Cartesian& cartesian, const Index3& inner, const Index3& width) {
    for (std::size_t axis = 0; axis < 3; ++axis) require_width(cartesian, axis, width[axis]);
    std::vector<Face> faces;
    for (const std::size_t axis : {std::size_t{2}, std::size_t{1}, std::size_t{0}}) {
        for (const Side side : {Side::low, Side::high}) {
            const int neighbour = cartesian.neighbour(axis, side);
            if (neighbour < 0 || width[axis] == 0) continue;
            Face face{axis, side, neighbour, {{0, 0, 0}, inner}, {{0, 0, 0}, inner}};
            face.send.lo[axis] = side == Side::low ? 0 : inner[axis] - width[axis];
            face.send.hi[axis] = face.send.lo[axis] + width[axis];
            face.receive.lo[axis] = side == Side::low ? -width[axis] : inner[axis];
            face.receive.hi[axis] = face.receive.lo[axis] + width[axis];
            require(face.send.points() <= std::numeric_limits<int>::max(),
                    "a face of " + std::to_string(face.send.points()) +
                        " points is more than a message of MPI holds: give more ranks");
            faces.push_back(face);
        }
    }
    return faces;
}

template <class Real>
void pack(const Grid<Real>& grid, const Region& region, Real* packed) {
    const Index length = region.extent(0);
#pragma omp parallel for collapse(2) schedule(static)
    for (Index i3 = region.lo[2]; i3 < region.hi[2]; ++i3) {
        for (Index i2 = region.lo[1]; i2 < region.hi[1]; ++i2) {
            const Real* from = grid.row(i2, i3) + region.lo[0];
            std::copy_n(from, length, packed + length * (i2 - region.lo[1] + region.extent(1) * (i3 - region.lo[2])));
        }
    }
}

template <class Real>
void unpack(const Real* packed, const Region& region, Grid<Real>& grid) {
    const Index length = region.extent(0);
#pragma omp parallel for collapse(2) schedule(static)
    for (Index i3 = region.lo[2]; i3 < region.hi[2]; ++i3) {
        for (Index i2 = region.lo[1]; i2 < region.hi[1]; ++i2) {
            const Real* from = packed + length * (i2 - region.lo[1] + region.extent(1) * (i3 - region.lo[2]));
            std::copy_n(from, length, grid.row(i2, i3) + region.lo[0]);
        }
    }
}

template void pack(const Grid<float>&, const Region&, float*);
template void pack(const Grid<double>&, const Region&, double*);
template void unpack(const float*, const Region&, Grid<float>&);
template void unpack(const double*, const Region&, Grid<double>&);

}  // namespace waywiser
