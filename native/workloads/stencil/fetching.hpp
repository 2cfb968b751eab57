/// Asking the second cache for what a kernel will read next, while it computes.
#pragma once

#include "workloads/common/cartesian.hpp"
#include "workloads/stencil/stencil.hpp"

#include <array>
#include <cstddef>
#include <cstdint>

namespace waywiser::stencil {

/// Goes through parts of planes row by row, some lines of each at every turn of a kernel's loop. In the order in which
/// they lie in memory, so that the processor's own prefetchers, which lose many streams at once, run ahead of it.
///
/// What is beyond a grid may be named: nothing happens there.
template <class Real, std::size_t most_parts>
class Fetching {
public:
    explicit Fetching(Index row_stride) : row_stride_(row_stride) {}

    /// So many rows of so many values.
    void add(const Real* first, Index values, Index rows) {
        if (values <= 0 || rows <= 0) return;
        const auto* begin = reinterpret_cast<const char*>(first);
        begin -= reinterpret_cast<std::uintptr_t>(begin) % line_bytes;
        const Index lines = (reinterpret_cast<const char*>(first + values) - begin + line_bytes - 1) / line_bytes;
        parts_[added_++] = {begin, lines * line_bytes, rows};
        pairs_ += (lines + 1) / 2 * rows;
    }

    /// After the last `add`: all of it is asked for in so many turns.
    void spread_over(Index turns) {
        pairs_a_turn_ = (pairs_ + turns - 1) / turns;
        at_ = begin_part();
    }

    [[gnu::always_inline]] void turn() {
        const char* at = at_;
        for (Index pair = 0; pair < pairs_a_turn_; ++pair) {
            __builtin_prefetch(at, 0, 2);
            __builtin_prefetch(at + line_bytes, 0, 2);
            at += 2 * line_bytes;
            if (at >= row_end_) [[unlikely]]
                at = begin_row();
        }
        at_ = at;
    }

private:
    static constexpr Index line_bytes = 64;

    struct Part {
        const char* first;
        Index row_bytes;
        Index rows;
    };

    [[gnu::always_inline]] const char* begin_row() {
        if (--rows_left_ == 0) {
            ++part_;
            return begin_part();
        }
        row_ += row_stride_ * static_cast<Index>(sizeof(Real));
        row_end_ = row_ + parts_[part_].row_bytes;
        return row_;
    }

    /// Or the end of all.
    [[gnu::always_inline]] const char* begin_part() {
        if (part_ == added_) {
            pairs_a_turn_ = 0;
            return row_end_;
        }
        row_ = parts_[part_].first;
        row_end_ = row_ + parts_[part_].row_bytes;
        rows_left_ = parts_[part_].rows;
        return row_;
    }

    std::array<Part, most_parts> parts_;
    std::size_t added_ = 0;
    std::size_t part_ = 0;
    Index row_stride_;
    Index pairs_ = 0;
    Index pairs_a_turn_ = 0;
    const char* row_ = nullptr;
    const char* at_ = nullptr;
    const char* row_end_ = nullptr;
    Index rows_left_ = 0;
};

/// While a box is computed, asks for the same places of the box that comes next (`Work::next`): most lie in the same
/// pages, of which the processor remembers few. The neighbours of that box on axes 2 and 3 are asked for with its
/// outermost rows and planes, and the line before each row of `out`, whose halo the surface may write. For kernels that
/// compute `lanes` points on `count` planes at once.
template <class Real, int radius, int lanes, int count>
class FetchingNext {
public:
    explicit FetchingNext(const Work<Real>& work) : work_(work) {}

    void begin_row(Index i2, Index i3) {
        const Index begin = work_.box.lo[0] + i2 * work_.stride_2 + i3 * work_.stride_3;
        out_ = work_.next.out + begin;
        in_ = work_.next.in + begin;
        factor_ = work_.next.factor + begin;
        ask_before<count>(out_);
        const bool lowest = i3 == work_.box.lo[2];
        const bool highest = i3 + count >= work_.box.hi[2];
        planes_ = lowest ? in_ - radius * work_.stride_3 : highest ? in_ + count * work_.stride_3 : nullptr;
        const bool first = i2 < work_.box.lo[1] + radius;
        const bool last = i2 >= work_.box.hi[1] - radius;
        rows_ = first ? in_ - radius * work_.stride_2 : last ? in_ + radius * work_.stride_2 : nullptr;
    }

    [[gnu::always_inline]] void turn() {
        ask<count>(out_);
        ask<count>(in_);
        ask<count>(factor_);
        if (planes_ != nullptr) ask<radius>(planes_);
        if (rows_ != nullptr) ask<count>(rows_);
    }

private:
    template <int planes>
    [[gnu::always_inline]] void ask(const Real*& first) {
        ask_before<planes>(first + 1);
        first += lanes;
    }

    template <int planes>
    [[gnu::always_inline]] void ask_before(const Real* point) {
#pragma GCC unroll 8
        for (int n = 0; n < planes; ++n) __builtin_prefetch(point - 1 + n * work_.stride_3, 0, 2);
    }

    const Work<Real> work_;
    const Real* out_ = nullptr;
    const Real* in_ = nullptr;
    const Real* factor_ = nullptr;
    const Real* planes_ = nullptr;
    const Real* rows_ = nullptr;
};

}  // namespace waywiser::stencil
