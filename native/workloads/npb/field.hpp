/// Five unknowns at every point of a rank's box and of a halo two points wide.
#pragma once

#include "workloads/common/cartesian.hpp"

#include <algorithm>
#include <span>
#include <vector>

namespace waywiser::npb {

class Field {
public:
    static constexpr Index halo = 2;  ///< what a fourth difference reads
    static constexpr Index unknowns = 5;

    /// Zeros. \param owned  points on each axis
    explicit Field(const Index3& owned)
        : stride_{unknowns, unknowns * (owned[0] + 2 * halo), unknowns * (owned[0] + 2 * halo) * (owned[1] + 2 * halo)},
          values_(static_cast<std::size_t>(stride_[2] * (owned[2] + 2 * halo))) {}

    /// The five unknowns of a point, numbered from 0 on each axis; those of the halo lie below 0 and behind the end.
    [[nodiscard]] double* at(const Index3& p) { return values_.data() + offset(p); }
    [[nodiscard]] const double* at(const Index3& p) const { return values_.data() + offset(p); }

    /// From a point to the next on an axis, in values.
    [[nodiscard]] Index stride(std::size_t axis) const { return stride_[axis]; }

    [[nodiscard]] std::span<double> values() { return values_; }
    [[nodiscard]] std::span<const double> values() const { return values_; }

private:
    [[nodiscard]] Index offset(const Index3& p) const {
        return (p[0] + halo) * stride_[0] + (p[1] + halo) * stride_[1] + (p[2] + halo) * stride_[2];
    }

    Index3 stride_;
    std::vector<double> values_;
};

/// Calls `body(point)` for every point of a region, axis 1 fastest.
template <class Body>
void each_point(const Region& region, Body body) {
    for (Index k = region.lo[2]; k < region.hi[2]; ++k) {
        for (Index j = region.lo[1]; j < region.hi[1]; ++j) {
            for (Index i = region.lo[0]; i < region.hi[0]; ++i) body(Index3{i, j, k});
        }
    }
}

/// The rank's points in the numbers of its fields.
[[nodiscard]] inline Region own_points(const Cartesian& cartesian) { return {{0, 0, 0}, cartesian.owned_points()}; }

/// Those of them that lie on no face of the cube: what the schemes change.
[[nodiscard]] inline Region inner_points(const Cartesian& cartesian) {
    Region inner = own_points(cartesian);
    for (std::size_t axis = 0; axis < 3; ++axis) {
        if (cartesian.owned().lo[axis] == 0) ++inner.lo[axis];
        if (cartesian.owned().hi[axis] == cartesian.points()[axis]) --inner.hi[axis];
    }
    return inner;
}

/// Part of a line along an axis that lies on a rank: points lo ... hi - 1, numbered from the rank's first.
struct Line {
    const double* u;  ///< of the rank's first point
    double* rhs;      ///< likewise
    Index stride;     ///< between points, in values
    Index lo, hi;
    Index first;   ///< number of the rank's first point in the whole grid
    Index points;  ///< of the whole line
    std::size_t axis;

    [[nodiscard]] const double* u_at(Index i) const { return u + i * stride; }
    [[nodiscard]] double* rhs_at(Index i) const { return rhs + i * stride; }
};

/// The line along `axis` through an inner point.
[[nodiscard]] inline Line line_through(const Cartesian& cartesian, std::size_t axis, Index3 point, const Field& u,
                                       Field& rhs) {
    const Region inner = inner_points(cartesian);
    point[axis] = 0;
    return {.u = u.at(point),
            .rhs = rhs.at(point),
            .stride = u.stride(axis),
            .lo = inner.lo[axis],
            .hi = inner.hi[axis],
            .first = cartesian.owned().lo[axis],
            .points = cartesian.points()[axis],
            .axis = axis};
}

}  // namespace waywiser::npb
