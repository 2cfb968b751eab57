/// The boundary where a field is 0: an anti-mirror at the surface of the whole grid.
#pragma once

#include "base/error.hpp"
#include "workloads/common/cartesian.hpp"
#include "workloads/common/grid.hpp"

#include <string>
#include <vector>

namespace waywiser {

/// A face of the whole grid that is on this rank.
struct SurfaceFace {
    std::size_t axis;
    Side side;
};

/// Sets the first and the last inner plane of every axis to 0 where this rank has them, and a halo point to minus the
/// inner point as far on the other side of that plane. Faces alone: edges and corners of the halo stay as they are.
///
/// Source: the "free surface" of hpcscan; a sine that is 0 at the surface is continued exactly.
template <class Real>
class AntiMirror {
public:
    /// \throws InvalidInput  if a rank at the surface has too few points to mirror; on all ranks
    AntiMirror(const Cartesian& cartesian, const Grid<Real>& shape) {
        for (std::size_t axis = 0; axis < 3; ++axis) {
            const Index least = cartesian.points()[axis] / cartesian.ranks()[axis];
            require(least > shape.halo()[axis], "an axis cut into pieces of " + std::to_string(least) +
                                                    " points has too few to mirror " +
                                                    std::to_string(shape.halo()[axis]) +
                                                    ": give more points, fewer ranks, or a lower order");
            for (const Side side : {Side::low, Side::high}) {
                if (cartesian.neighbour(axis, side) < 0) faces_.push_back({axis, side});
            }
        }
    }

    void apply(Grid<Real>& grid) const {
        for (const SurfaceFace& face : faces_) set_plane(grid, face);
        for (const SurfaceFace& face : faces_) mirror(grid, face);
    }

    /// Of the faces, which is all that `apply` touches.
    struct Values {
        Index written = 0;
        Index read = 0;
    };
    [[nodiscard]] Values values(const Grid<Real>& shape) const {
        Values sum;
        for (const SurfaceFace& face : faces_) {
            const Index plane = plane_of(shape, face).points();
            sum.written += plane * (1 + shape.halo()[face.axis]);
            sum.read += plane * shape.halo()[face.axis];
        }
        return sum;
    }

private:
    static Region plane_of(const Grid<Real>& grid, const SurfaceFace& face) {
        Region plane = grid.inner_region();
        if (face.side == Side::high) plane.lo[face.axis] = plane.hi[face.axis] - 1;
        plane.hi[face.axis] = plane.lo[face.axis] + 1;
        return plane;
    }

    /// Calls `body` with the points of a plane, each as a pointer.
    template <class Body>
    static void for_plane(Grid<Real>& grid, const SurfaceFace& face, Body body) {
        const Region plane = plane_of(grid, face);
#pragma omp parallel for collapse(2) schedule(static)
        for (Index i3 = plane.lo[2]; i3 < plane.hi[2]; ++i3) {
            for (Index i2 = plane.lo[1]; i2 < plane.hi[1]; ++i2) {
                Real* row = grid.row(i2, i3);
                for (Index i1 = plane.lo[0]; i1 < plane.hi[0]; ++i1) body(row + i1);
            }
        }
    }

    static void set_plane(Grid<Real>& grid, const SurfaceFace& face) {
        for_plane(grid, face, [](Real* point) { *point = 0; });
    }

    static void mirror(Grid<Real>& grid, const SurfaceFace& face) {
        const Index inwards = grid.stride(face.axis) * (face.side == Side::low ? 1 : -1);
        const Index width = grid.halo()[face.axis];
        for_plane(grid, face, [inwards, width](Real* point) {
            for (Index j = 1; j <= width; ++j) point[-j * inwards] = -point[j * inwards];
        });
    }

    std::vector<SurfaceFace> faces_;
};

}  // namespace waywiser
