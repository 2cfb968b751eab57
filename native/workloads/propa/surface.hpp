/// P = 0 on the surface of the domain: the field is continued beyond it with the opposite sign.
#pragma once

#include "workloads/common/cartesian.hpp"
#include "workloads/common/grid.hpp"

#include <algorithm>

namespace waywiser::propa {

template <class Real>
class Surface {
public:
    /// Of the faces of a rank that lie on the domain's; none, if not `mirrored`.
    Surface(const Cartesian& cartesian, Index radius, bool mirrored) : radius_(radius), points_(cartesian.owned_points()) {
        for (std::size_t axis = 0; axis < 3; ++axis) {
            for (const Side side : {Side::low, Side::high}) {
                faces_[axis][side == Side::high] = mirrored && cartesian.neighbour(axis, side) < 0;
            }
        }
    }

    /// Sets the surface to zero, and the halo beyond it to minus its mirror image, as far as they follow from points of
    /// the box. Boxes that share no point may be treated at the same time.
    void apply(Grid<Real>& grid, const Region& box) const {
        for (const bool high : {false, true}) {
            if (near(box, 0, high)) {
                for (Index i3 = box.lo[2]; i3 < box.hi[2]; ++i3) {
                    for (Index i2 = box.lo[1]; i2 < box.hi[1]; ++i2) mirror_row(grid.row(i2, i3), box, high);
                }
            }
            if (near(box, 1, high)) {
                for (Index i3 = box.lo[2]; i3 < box.hi[2]; ++i3) mirror_rows(grid, box, high, i3);
            }
            if (near(box, 2, high)) mirror_planes(grid, box, high);
        }
    }

private:
    [[nodiscard]] Index face(std::size_t axis, bool high) const { return high ? points_[axis] - 1 : 0; }

    [[nodiscard]] bool near(const Region& box, std::size_t axis, bool high) const {
        if (!faces_[axis][high]) return false;
        return high ? box.hi[axis] > face(axis, high) - radius_ : box.lo[axis] <= radius_;
    }

    /// Distances from the face, up to the radius, that the box has: calls `visit(inner, beyond)` with their indices.
    template <class Visit>
    void each_pair(const Region& box, std::size_t axis, bool high, Visit visit) const {
        const Index at = face(axis, high);
        const Index inward = high ? -1 : 1;
        for (Index d = 0; d <= radius_; ++d) {
            const Index inner = at + inward * d;
            if (inner >= box.lo[axis] && inner < box.hi[axis]) visit(inner, at - inward * d);
        }
    }

    void mirror_row(Real* row, const Region& box, bool high) const {
        each_pair(box, 0, high,
                  [&](Index inner, Index beyond) { row[beyond] = inner == beyond ? Real{0} : -row[inner]; });
    }

    void mirror_rows(Grid<Real>& grid, const Region& box, bool high, Index i3) const {
        each_pair(box, 1, high, [&](Index inner, Index beyond) {
            copy_negative(grid.row(inner, i3), grid.row(beyond, i3), box, inner == beyond);
        });
    }

    void mirror_planes(Grid<Real>& grid, const Region& box, bool high) const {
        each_pair(box, 2, high, [&](Index inner, Index beyond) {
            for (Index i2 = box.lo[1]; i2 < box.hi[1]; ++i2) {
                copy_negative(grid.row(i2, inner), grid.row(i2, beyond), box, inner == beyond);
            }
        });
    }

    static void copy_negative(const Real* from, Real* to, const Region& box, bool zero) {
        if (zero) {
            std::fill(to + box.lo[0], to + box.hi[0], Real{0});
        } else {
            for (Index i = box.lo[0]; i < box.hi[0]; ++i) to[i] = -from[i];
        }
    }

    Index radius_;
    Index3 points_;
    bool faces_[3][2] = {};
};

}  // namespace waywiser::propa
