/// Five unknowns at every point of a rank's box and of a halo two points wide.
#pragma once

#include "workloads/common/array.hpp"
#include "workloads/common/cartesian.hpp"
#include "workloads/npb/physics.hpp"

#include <algorithm>
#include <span>

namespace waywiser::npb {

class Field {
public:
    static constexpr Index halo = 2;  ///< width that a fourth difference needs
    static constexpr Index unknowns = 5;

    /// Creates a field of zeros. \param owned  points on each axis
    explicit Field(const Index3& owned)
        : between_(owned[0] + 2 * halo),
          stride_{1, unknowns * between_, unknowns * between_ * (owned[1] + 2 * halo)},
          values_(static_cast<std::size_t>(stride_[2] * (owned[2] + 2 * halo) + readable_behind)) {
        std::ranges::fill(values(), 0.0);
    }

    /// The first unknown of a point, numbered from 0 on each axis; halo points have numbers below 0 and beyond the end.
    [[nodiscard]] double* at(const Index3& p) { return values_.data() + offset(p); }
    [[nodiscard]] const double* at(const Index3& p) const { return values_.data() + offset(p); }

    [[nodiscard]] Vector5 get(const Index3& p) const { return unknowns_at(at(p), between_); }
    void set(const Index3& p, const Vector5& u) { set_unknowns_at(at(p), between_, u); }

    /// Distance of neighbouring points on an axis, in values.
    [[nodiscard]] Index stride(std::size_t axis) const { return stride_[axis]; }
    /// Distance of a point's unknowns, in values. Each unknown has its own row, so that a register loads several
    /// points.
    [[nodiscard]] Index between() const { return between_; }

    [[nodiscard]] std::span<double> values() { return {values_.data(), values_.size()}; }
    [[nodiscard]] std::span<const double> values() const { return {values_.data(), values_.size()}; }

    [[nodiscard]] static Vector5 unknowns_at(const double* first, Index between) {
        return {first[0], first[between], first[2 * between], first[3 * between], first[4 * between]};
    }
    static void set_unknowns_at(double* first, Index between, const Vector5& u) {
        for (const double value : u) {
            *first = value;
            first += between;
        }
    }

private:
    static constexpr Index readable_behind = 8;  ///< values past the last row that registers may read

    [[nodiscard]] Index offset(const Index3& p) const {
        return (p[0] + halo) * stride_[0] + (p[1] + halo) * stride_[1] + (p[2] + halo) * stride_[2];
    }

    Index between_;
    Index3 stride_;
    Array<double> values_;
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

/// The rank's points, numbered as in its fields.
[[nodiscard]] inline Region own_points(const Cartesian& cartesian) { return {{0, 0, 0}, cartesian.owned_points()}; }

/// The rank's points that lie on no face of the cube. The schemes change only these points.
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
    const double* u;  ///< unknowns at the rank's first point
    double* rhs;      ///< right-hand sides at the rank's first point
    Index stride;     ///< distance between points, in values
    Index between;    ///< distance between unknowns
    Index lo, hi;
    Index first;   ///< number of the rank's first point in the whole grid
    Index points;  ///< points of the whole line
    std::size_t axis;

    [[nodiscard]] Vector5 u_at(Index i) const { return Field::unknowns_at(u + i * stride, between); }
    [[nodiscard]] Vector5 rhs_at(Index i) const { return Field::unknowns_at(rhs + i * stride, between); }
    void set_rhs(Index i, const Vector5& r) const { Field::set_unknowns_at(rhs + i * stride, between, r); }
};

/// The line along `axis` through an inner point.
[[nodiscard]] inline Line line_through(const Cartesian& cartesian, std::size_t axis, Index3 point, const Field& u,
                                       Field& rhs) {
    const Region inner = inner_points(cartesian);
    point[axis] = 0;
    return {.u = u.at(point),
            .rhs = rhs.at(point),
            .stride = u.stride(axis),
            .between = u.between(),
            .lo = inner.lo[axis],
            .hi = inner.hi[axis],
            .first = cartesian.owned().lo[axis],
            .points = cartesian.points()[axis],
            .axis = axis};
}

}  // namespace waywiser::npb
