/// Asking the second cache for what a kernel will read next, while it computes.
#pragma once

#include "workloads/common/cartesian.hpp"

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

}  // namespace waywiser::stencil
