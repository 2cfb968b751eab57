/// Prefetches into the L2 cache the data that a kernel will read next.
#pragma once

#include "workloads/common/ahead.hpp"
#include "workloads/stencil/stencil.hpp"

#include <type_traits>

namespace waywiser::stencil {

/// Prefetches for operators with neighbours on axis 3, whose planes are more streams than the hardware prefetcher
/// follows. While a box is computed, the same positions of the next box (`Work::next`) are prefetched. Most of them lie
/// in pages that are in use, which saves TLB entries. The neighbours of the next box on axes 2 and 3 are prefetched
/// with its outermost rows and planes. Leapfrog also prefetches the cache line before each row of `out`, whose halo the
/// surface may write. Kernels that use this class compute `lanes` points on `count` planes at once.
template <Operator operation, class Real, int radius, int lanes, int count>
class FetchingNext {
public:
    explicit FetchingNext(const Work<Real>& work) : work_(work), reads_out_(!work.nontemporal) {
        if (work_.next.in == nullptr) work_.announce(work_);  // next box unknown: prefetching this box does no harm
    }

    void begin_row(Index i2, Index i3) {
        const Index begin = work_.box.lo[0] + i2 * work_.stride_2 + i3 * work_.stride_3;
        out_ = reads_out_ ? work_.next.out + begin : nullptr;
        in_ = work_.next.in + begin;
        if constexpr (leapfrog) {
            factor_ = work_.next.factor + begin;
            ask_before<count>(out_);
        }
        const bool lowest = i3 == work_.box.lo[2];
        const bool highest = i3 + count >= work_.box.hi[2];
        planes_ = lowest ? in_ - radius * work_.stride_3 : highest ? in_ + count * work_.stride_3 : nullptr;
        if constexpr (has_axis(operation, 2)) {
            const bool first = i2 < work_.box.lo[1] + radius;
            const bool last = i2 >= work_.box.hi[1] - radius;
            rows_ = first ? in_ - radius * work_.stride_2 : last ? in_ + radius * work_.stride_2 : nullptr;
        }
    }

    [[gnu::always_inline]] void turn() {
        ask<count>(in_);
        if (reads_out_) ask<count>(out_);
        if constexpr (leapfrog) ask<count>(factor_);
        if (planes_ != nullptr) ask<radius>(planes_);
        if (rows_ != nullptr) ask<count>(rows_);
    }

private:
    static constexpr bool leapfrog = operation == Operator::leapfrog;

    template <int planes>
    [[gnu::always_inline]] void ask(const Real*& first) {
        ask_before<planes>(first + 1);
        first += lanes;
    }

    template <int planes>
    [[gnu::always_inline]] void ask_before(const Real* point) {
#pragma GCC unroll 8
        for (int n = 0; n < planes; ++n) ask_for(point - 1 + n * work_.stride_3);
    }

    Work<Real> work_;
    bool reads_out_;
    const Real* out_ = nullptr;
    const Real* in_ = nullptr;
    const Real* factor_ = nullptr;
    const Real* planes_ = nullptr;
    const Real* rows_ = nullptr;
};

/// Prefetches for operators without neighbours on axis 3, which traverse `count` rows at once in the order of memory.
/// The targets are the same points of the next rows. If `count` is 1, the targets are points of the row itself, far
/// enough ahead to hide the latency of memory.
template <Operator operation, class Real, int radius, int lanes, int count>
class FetchingOn {
public:
    explicit FetchingOn(const Work<Real>& work)
        : work_(work), ahead_(count == 1 ? values_ahead<Real> : count * work.stride_2) {}

    void begin_row(Index i2, Index i3) {
        const Index begin = work_.box.lo[0] + i2 * work_.stride_2 + i3 * work_.stride_3 + ahead_;
        in_ = work_.in + begin + (has_axis(operation, 2) ? radius * work_.stride_2 : 0);
        out_ = work_.nontemporal ? nullptr : work_.out + begin;
    }

    [[gnu::always_inline]] void turn() {
        ask(in_);
        if (out_ != nullptr) ask(out_);
    }

private:
    [[gnu::always_inline]] void ask(const Real*& first) {
#pragma GCC unroll 8
        for (int n = 0; n < count; ++n) ask_for(first + n * work_.stride_2);
        first += lanes;
    }

    Work<Real> work_;
    Index ahead_;
    const Real* in_ = nullptr;
    const Real* out_ = nullptr;
};

template <Operator operation, class Real, int radius, int lanes, int count>
using Fetching = std::conditional_t<has_axis(operation, 3), FetchingNext<operation, Real, radius, lanes, count>,
                                    FetchingOn<operation, Real, radius, lanes, count>>;

}  // namespace waywiser::stencil
