/// A three-dimensional array with a halo, laid out for kernels that stream through it.
#pragma once

#include "workloads/common/array.hpp"
#include "workloads/common/cartesian.hpp"

#include <algorithm>

namespace waywiser {

/// Inner points are numbered from 0 on each axis; halo points have numbers below 0, or from inner() on.
///
/// The first inner point of every row is 64-byte aligned. Rows and planes follow each other at odd numbers of cache
/// lines. Neighbours on axes 2 and 3 therefore fall into different sets of a cache, whatever the size of the grid.
template <class Real>
class Grid {
public:
    Grid() = default;

    /// Creates a grid whose memory is not initialised: see `fill`.
    /// \param colour  number of the grid among the grids that a kernel uses together; grids of different colours begin
    ///                in different cache sets
    Grid(const Index3& inner, const Index3& halo, int colour = 0) : inner_(inner), halo_(halo) {
        const Index before = lines(halo[0]);
        const Index row = odd(before + lines(inner[0] + halo[0]));
        const Index rows = inner[1] + 2 * halo[1];
        stride_ = {1, row * line, set_spread(rows * row) * line};
        const Index planes = inner[2] + 2 * halo[2];
        const Index begin = colour * colour_lines * line;
        data_ = Array<Real>(static_cast<std::size_t>(begin + planes * stride_[2]));
        origin_ = begin + before * line + halo[1] * stride_[1] + halo[2] * stride_[2];
    }

    [[nodiscard]] const Index3& inner() const { return inner_; }
    [[nodiscard]] const Index3& halo() const { return halo_; }
    [[nodiscard]] Region inner_region() const { return {{0, 0, 0}, inner_}; }
    /// All points including the halo.
    [[nodiscard]] Region whole_region() const {
        return {{-halo_[0], -halo_[1], -halo_[2]}, {inner_[0] + halo_[0], inner_[1] + halo_[1], inner_[2] + halo_[2]}};
    }
    /// Distance of neighbouring points on an axis, in values.
    [[nodiscard]] Index stride(std::size_t axis) const { return stride_[axis]; }
    [[nodiscard]] Index offset(Index i1, Index i2, Index i3) const {
        return origin_ + i1 + i2 * stride_[1] + i3 * stride_[2];
    }

    [[nodiscard]] Real& at(Index i1, Index i2, Index i3) { return data_[offset(i1, i2, i3)]; }
    [[nodiscard]] const Real& at(Index i1, Index i2, Index i3) const { return data_[offset(i1, i2, i3)]; }
    /// The first inner point of a row.
    [[nodiscard]] Real* row(Index i2, Index i3) { return data_.data() + offset(0, i2, i3); }
    [[nodiscard]] const Real* row(Index i2, Index i3) const { return data_.data() + offset(0, i2, i3); }

    /// Sets every point, including the halo, to `value(i1, i2, i3)`. Each plane is set by its thread in a static
    /// schedule over axis 3, which places the memory near that thread.
    template <class Value>
    void fill(Value value) {
        const Region all = whole_region();
#pragma omp parallel for schedule(static)
        for (Index i3 = all.lo[2]; i3 < all.hi[2]; ++i3) {
            for (Index i2 = all.lo[1]; i2 < all.hi[1]; ++i2) {
                Real* values = row(i2, i3);
                for (Index i1 = all.lo[0]; i1 < all.hi[0]; ++i1) values[i1] = static_cast<Real>(value(i1, i2, i3));
            }
        }
    }

private:
    static constexpr Index line = 64 / static_cast<Index>(sizeof(Real));  ///< values per cache line
    /// odd, so that 64 colours are used before a colour recurs in a page of 64 lines
    static constexpr Index colour_lines = 11;

    static Index lines(Index values) { return (values + line - 1) / line; }
    static Index odd(Index lines) { return lines | 1; }
    /// The next number of lines that is 19 modulo 64. Multiples of this number visit all 64 sets of a page, and the
    /// first few sets are far apart.
    static Index set_spread(Index lines) { return (lines - 19 + 63) / 64 * 64 + 19; }

    Index3 inner_{};
    Index3 halo_{};
    Index3 stride_{};
    Index origin_ = 0;
    Array<Real> data_;
};

}  // namespace waywiser
