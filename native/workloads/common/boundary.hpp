/// The surface on which a field is 0. Beyond the surface, the field is continued with the opposite sign.
#pragma once

#include "base/error.hpp"
#include "workloads/common/cartesian.hpp"
#include "workloads/common/grid.hpp"

#include <algorithm>
#include <array>
#include <span>
#include <string>
#include <vector>

namespace waywiser {

/// A face of the whole grid.
struct SurfaceFace {
    std::size_t axis;
    Side side;
};

inline constexpr std::array<SurfaceFace, 6> all_faces{
    {{0, Side::low}, {0, Side::high}, {1, Side::low}, {1, Side::high}, {2, Side::low}, {2, Side::high}}};

/// Sets the first or the last inner plane to 0 at each face that a rank has. A halo point is set to minus its mirror
/// image at that plane. Only faces are set: edges and corners of the halo stay as they are.
///
/// Source: the "free surface" of hpcscan; a sine that is 0 at the surface is continued exactly.
template <class Real>
class Surface {
public:
    /// \param width  halo points to mirror on each axis
    /// \throws InvalidInput  if a rank at a face has too few points to mirror; on all ranks
    Surface(const Cartesian& cartesian, Index width, std::span<const SurfaceFace> faces)
        : width_(width), points_(cartesian.owned_points()) {
        for (const SurfaceFace& face : faces) {
            const Index least = cartesian.points()[face.axis] / cartesian.ranks()[face.axis];
            require(least > width, "an axis cut into pieces of " + std::to_string(least) +
                                       " points has too few to mirror " + std::to_string(width) +
                                       ": give more points, fewer ranks, or a lower order");
            if (cartesian.neighbour(face.axis, face.side) < 0) faces_.push_back(face);
        }
    }

    /// Sets the halo points that mirror points of the box. Boxes that share no point may be treated at the same time.
    void apply(Grid<Real>& grid, const Region& box) const {
        const auto each = [&](bool axis_1, auto visit) {
            for (const SurfaceFace& face : faces_) {
                if ((face.axis == 0) == axis_1 && near(box, face)) visit(face);
            }
        };
        each(false, [&](const SurfaceFace& face) { clear(grid, box, face); });
        each(true, [&](const SurfaceFace& face) { end_rows(grid, box, face); });
        each(false, [&](const SurfaceFace& face) { mirror_rows(grid, box, face); });
    }

    /// Applies the boundary on all threads, which take tiles in turn.
    void apply(Grid<Real>& grid) const {
        constexpr Index side = 16;
        const Index3& n = grid.inner();
#pragma omp parallel for collapse(2) schedule(static, 1)
        for (Index i3 = 0; i3 < n[2]; i3 += side) {
            for (Index i2 = 0; i2 < n[1]; i2 += side) {
                apply(grid, {{0, i2, i3}, {n[0], std::min(i2 + side, n[1]), std::min(i3 + side, n[2])}});
            }
        }
    }

    /// Faces of the whole grid that this rank has.
    [[nodiscard]] std::span<const SurfaceFace> faces() const { return faces_; }

    /// Numbers of values that `apply` writes and reads. All of them belong to faces.
    struct Values {
        Index written = 0;
        Index read = 0;
    };
    [[nodiscard]] Values values() const {
        Values sum;
        for (const SurfaceFace& face : faces_) {
            const Index plane = points_[0] * points_[1] * points_[2] / points_[face.axis];
            sum.written += plane * (1 + width_);
            sum.read += plane * width_;
        }
        return sum;
    }

private:
    [[nodiscard]] Index place(const SurfaceFace& face) const {
        return face.side == Side::high ? points_[face.axis] - 1 : 0;
    }

    [[nodiscard]] static Index inwards(const SurfaceFace& face) { return face.side == Side::high ? -1 : 1; }

    [[nodiscard]] bool near(const Region& box, const SurfaceFace& face) const {
        return face.side == Side::high ? box.hi[face.axis] > place(face) - width_ : box.lo[face.axis] <= width_;
    }

    /// Returns the points of the box at this distance from the plane of a face; the region may be empty.
    [[nodiscard]] Region at_distance(const Region& box, const SurfaceFace& face, Index distance) const {
        const Index at = place(face) + inwards(face) * distance;
        Region plane = box;
        plane.lo[face.axis] = std::max(box.lo[face.axis], at);
        plane.hi[face.axis] = std::min(box.hi[face.axis], at + 1);
        return plane;
    }

    /// Calls `body(first)` with the first point of each row of the box.
    template <class Body>
    static void each_row(Grid<Real>& grid, const Region& box, Body body) {
        if (box.points() == 0) return;
        for (Index i3 = box.lo[2]; i3 < box.hi[2]; ++i3) {
            for (Index i2 = box.lo[1]; i2 < box.hi[1]; ++i2) body(grid.row(i2, i3) + box.lo[0]);
        }
    }

    void clear(Grid<Real>& grid, const Region& box, const SurfaceFace& face) const {
        each_row(grid, at_distance(box, face, 0), [&](Real* row) { std::fill_n(row, box.extent(0), Real{0}); });
    }

    void mirror_rows(Grid<Real>& grid, const Region& box, const SurfaceFace& face) const {
        for (Index distance = 1; distance <= width_; ++distance) {
            const Index beyond = -2 * inwards(face) * distance * grid.stride(face.axis);
            each_row(grid, at_distance(box, face, distance), [&](Real* row) {
                for (Index i = 0; i < box.extent(0); ++i) row[beyond + i] = -row[i];
            });
        }
    }

    /// Mirrors both ends of a row on axis 1 together, since the row may have left the nearest cache.
    void end_rows(Grid<Real>& grid, const Region& box, const SurfaceFace& face) const {
        const Index towards = inwards(face);
        const Index nearest = towards > 0 ? box.lo[0] - place(face) : place(face) - (box.hi[0] - 1);
        const Index farthest = std::min(width_, nearest + box.extent(0) - 1);
        each_row(grid, box, [&](Real* row) {
            Real* const plane = row - box.lo[0] + place(face);
            if (nearest == 0) *plane = 0;
            for (Index i = std::max<Index>(nearest, 1); i <= farthest; ++i) plane[-towards * i] = -plane[towards * i];
        });
    }

    Index width_;
    Index3 points_;
    std::vector<SurfaceFace> faces_;
};

}  // namespace waywiser
