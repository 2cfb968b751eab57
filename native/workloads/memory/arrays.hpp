/// The arrays of one rank, with values that distinguish every position from its neighbours.
#pragma once

#include "workloads/common/array.hpp"
#include "workloads/common/streams.hpp"
#include "workloads/common/threads.hpp"

#include <algorithm>
#include <cstdint>
#include <limits>

namespace waywiser::memory {

/// A periodic ramp from `scale` to nearly twice `scale`. The period is a prime, so that a shifted array is detected.
template <typename Real>
[[nodiscard]] constexpr Real ramp(double scale, std::int64_t i, std::int64_t period) {
    return static_cast<Real>(scale * (1.0 + static_cast<double>(i % period) / static_cast<double>(period)));
}

/// Calls `body(begin, end)` on every thread with its share of the points, the same as in a sweep.
template <typename Body>
void by_all_threads(std::int64_t points, Body body) {
#pragma omp parallel
    {
        const Share share = share_of(points, thread_number(), team_size());
        body(share.begin, share.end);
    }
}

/// Each thread is the first to write the part that it sweeps, so that the memory is local to the thread. The arrays
/// start at different offsets in a page.
template <typename Real>
class Arrays {
public:
    Arrays(std::int64_t points, double scale_b, double scale_c)
        : points_(points), scale_b_(scale_b), scale_c_(scale_c) {
        for (Array<Real>* array : {&a_, &b_, &c_}) *array = Array<Real>(static_cast<std::size_t>(points + 2 * apart));
        by_all_threads(points, [&](std::int64_t begin, std::int64_t end) {
            for (std::int64_t i = begin; i < end; ++i) {
                a()[i] = 0;
                b_.data()[apart + i] = value_b(i);
                c_.data()[2 * apart + i] = value_c(i);
            }
        });
    }

    [[nodiscard]] std::int64_t points() const { return points_; }
    [[nodiscard]] Real* a() { return a_.data(); }
    [[nodiscard]] const Real* b() const { return b_.data() + apart; }
    [[nodiscard]] StreamArrays<Real> view() { return {a(), b(), c_.data() + 2 * apart, points_}; }

    [[nodiscard]] Real value_b(std::int64_t i) const { return ramp<Real>(scale_b_, i, 1021); }
    [[nodiscard]] Real value_c(std::int64_t i) const { return ramp<Real>(scale_c_, i, 509); }
    [[nodiscard]] Real s() const { return static_cast<Real>(scale_c_); }

    /// Prepares a sweep for its check: `a` becomes 0 if the sweep adds to it, otherwise NaN, which the sweep must
    /// overwrite.
    void clear(bool in_place) {
        const Real value = in_place ? Real{0} : std::numeric_limits<Real>::quiet_NaN();
        by_all_threads(points_,
                       [&](std::int64_t begin, std::int64_t end) { std::fill(a() + begin, a() + end, value); });
    }

private:
    static constexpr auto apart = static_cast<std::int64_t>(
        std::size_t{11} * 64 / sizeof(Real));  ///< offset of each array from the preceding array: eleven cache lines

    std::int64_t points_;
    double scale_b_;
    double scale_c_;
    Array<Real> a_, b_, c_;
};

}  // namespace waywiser::memory
