/// Loops of the operators: templates over operator, order, precision and register width. They are inlined into
/// functions that are each compiled for one instruction set (dispatch.hpp).
#pragma once

#include "workloads/common/nontemporal.hpp"
#include "workloads/common/x86_levels.hpp"
#include "workloads/stencil/fetching.hpp"
#include "workloads/stencil/stencil.hpp"

#include <algorithm>
#include <utility>

namespace waywiser::stencil {

/// Computes one point at a time.
template <Operator operation, int radius>
struct Plain {
    template <class Real, int bytes>
    [[gnu::always_inline]] static void run(const Work<Real>& w) {
        for (Index i3 = w.box.lo[2]; i3 < w.box.hi[2]; ++i3) {
            for (Index i2 = w.box.lo[1]; i2 < w.box.hi[1]; ++i2) row(w, i2 * w.stride_2 + i3 * w.stride_3);
        }
    }

private:
    template <class Real>
    [[gnu::always_inline]] static void row(const Work<Real>& w, Index begin) {
        Real* __restrict out = w.out + begin;
        const Real* __restrict in = w.in + begin;
        const Real* __restrict factor = w.factor + begin;
        const auto taps = w.taps;  // copies: stores to `out` cannot alias them
        const Real centre = w.centre;
        const Index stride_2 = w.stride_2;
        const Index stride_3 = w.stride_3;
        const Index end = w.box.hi[0];
        constexpr auto all = std::make_integer_sequence<int, radius>();
#pragma omp simd
        for (Index i = w.box.lo[0]; i < end; ++i) {
            Real sum = is_first(operation) ? Real{0} : centre * in[i];
            if constexpr (has_axis(operation, 1)) sum += along(in + i, 1, taps[0], all);
            if constexpr (has_axis(operation, 2)) sum += along(in + i, stride_2, taps[1], all);
            if constexpr (has_axis(operation, 3)) sum += along(in + i, stride_3, taps[2], all);
            out[i] = operation == Operator::leapfrog ? 2 * in[i] - out[i] + factor[i] * sum : sum;
        }
    }

    /// The sum is a fold, not a loop, because compilers vectorise the points of a row only without an inner loop.
    template <class Real, class Taps, int... k>
    [[gnu::always_inline]] static Real along([[maybe_unused]] const Real* in, [[maybe_unused]] Index stride,
                                             [[maybe_unused]] const Taps& taps, std::integer_sequence<int, k...>) {
        // k counts from 0: the neighbours are k + 1 points away.
        [[maybe_unused]] constexpr int up = is_first(operation) ? 0 : 1;
        [[maybe_unused]] constexpr Real sign = is_first(operation) ? -1 : 1;
        return (Real{0} + ... + (taps[k] * (in[(k + up) * stride] + sign * in[-(k + 1) * stride])));
    }
};

/// Computes a register of points at once, on several planes, or on several rows if the operator has no neighbours on
/// axis 3. Each neighbour across these planes or rows is loaded once for all of them.
template <Operator operation, int radius>
struct Vectors {
    template <class Real, int bytes>
    [[gnu::always_inline]] static void run(const Work<Real>& w) {
        if (!pays<bytes> || w.box.extent(0) < bytes / static_cast<Index>(sizeof(Real))) {
            find_kernel<Real>(operation, Form::plain, 2 * radius)(w);
            return;
        }
        if constexpr (pays<bytes>) {
            Region left = w.box;
            // The number of registers limits how many rows are computed together.
            if constexpr (fetches && across == 2 && bytes == 64) each<Real, bytes, 4>(w, left);
            if constexpr (fetches && across == 2) each<Real, bytes, 2>(w, left);
            if constexpr (across == 1 && has_axis(operation, 2)) each<Real, bytes, 8>(w, left);
            each<Real, bytes, 1>(w, left);
            if (w.nontemporal) fence_nontemporal();
        }
    }

private:
    static constexpr bool first = is_first(operation);
    static constexpr bool leapfrog = operation == Operator::leapfrog;
    /// Axis (from 0) across which rows of points are computed together.
    static constexpr std::size_t across = has_axis(operation, 3) ? 2 : 1;
    /// False for the copy (order 0), which is as simple as possible and has other limits than the operators.
    static constexpr bool fetches = radius > 0;
    /// False for x86-64 without AVX2: few such machines exist, and a sixth of the compile time would be for them.
    template <int bytes>
    static constexpr bool pays = bytes > 16 || WAYWISER_HAS_LEVELS == 0;

    template <class Real, int bytes>
    struct OfWidth {
        typedef Real Vector __attribute__((vector_size(bytes), aligned(sizeof(Real)), may_alias));
        [[gnu::always_inline]] static const Vector& at(const Real* p) { return *reinterpret_cast<const Vector*>(p); }
    };

    /// Computes `count` rows at a time while at least `count` are left.
    template <class Real, int bytes, int count>
    [[gnu::always_inline]] static void each(const Work<Real>& work, Region& left) {
        const Work<Real> w = work;  // a copy: stores to `out` cannot alias it
        Fetching<operation, Real, radius, bytes / static_cast<int>(sizeof(Real)), count> fetching(w);
        constexpr Index planes = across == 2 ? count : 1;
        constexpr Index rows = across == 1 ? count : 1;
        const Index end = w.box.hi[across] - left.extent(across) % count;
        Region now = left;
        now.hi[across] = end;
        left.lo[across] = end;
        for (Index i3 = now.lo[2]; i3 < now.hi[2]; i3 += planes) {
            for (Index i2 = now.lo[1]; i2 < now.hi[1]; i2 += rows) {
                if constexpr (fetches) fetching.begin_row(i2, i3);
                row<Real, bytes, count>(w, now.lo[0], now.hi[0], i2 * w.stride_2 + i3 * w.stride_3, fetching);
            }
        }
    }

    /// The last vector ends with the row, overlaps its predecessor and recomputes some points. Leapfrog overwrites its
    /// input, and recomputes these points from their previous values (`old`).
    template <class Real, int bytes, int count, class Fetching>
    [[gnu::always_inline]] static void row(const Work<Real>& w, Index lo, Index hi, Index begin, Fetching& fetching) {
        using Vector = typename OfWidth<Real, bytes>::Vector;
        constexpr auto at = OfWidth<Real, bytes>::at;
        constexpr Index lanes = bytes / static_cast<Index>(sizeof(Real));
        const Index s2 = w.stride_2;
        const Index apart = across == 2 ? w.stride_3 : s2;
        const Index last = hi - lanes;
        const Real* in = w.in + begin + lo;
        const Real* factor = w.factor + begin + lo;
        Real* out = w.out + begin + lo;
        Vector old[count];
        for (int n = 0; n < count; ++n) {
            if constexpr (leapfrog) old[n] = at(out + last - lo + n * apart);
            // A cache line that is written only in part must be read first.
            if (!leapfrog && w.nontemporal && hi % lanes != 0) __builtin_prefetch(out + hi - lo - 1 + n * apart, 1);
        }
        Index fresh = lanes;  // number of values that the vector does not share with its predecessor
        for (Index i = lo;;) {
            if constexpr (fetches) fetching.turn();
            // One sum per axis: a single sum would be a chain of dependent additions.
            Vector sum[count] = {};
            Vector sum_2[count] = {};
            Vector sum_3[count] = {};
#pragma GCC unroll 8
            for (int n = 0; n < count; ++n) {
                const Real* c = in + n * apart;
                if constexpr (!first) sum[n] = w.centre * at(c);
                if constexpr (has_axis(operation, 1)) add_along<Real, bytes>(sum[n], c, w.taps[0]);
                if constexpr (across == 2 && has_axis(operation, 2))
                    add_across<Real, bytes, 1>(sum_2 + n, c, s2, w.taps[1]);
            }
            if constexpr (has_axis(operation, across + 1)) {
                add_across<Real, bytes, count>(sum_3, in, apart, w.taps[across]);
            }
#pragma GCC unroll 8
            for (int n = 0; n < count; ++n) {
                if constexpr (radius > 0) sum[n] += sum_2[n] + sum_3[n];
            }
#pragma GCC unroll 8
            for (int n = 0; n < count; ++n) {
                Vector& result = *reinterpret_cast<Vector*>(out + n * apart);
                if constexpr (leapfrog) {
                    const Vector& before = i == last ? old[n] : result;
                    result = 2 * at(in + n * apart) - before + at(factor + n * apart) * sum[n];
                } else if (w.nontemporal && i % lanes == 0) {
                    store_nontemporal(&result, sum[n]);
                } else if (w.nontemporal) {  // only new values: lines already written to memory must not be read back
                    for (Index lane = lanes - fresh; lane < lanes; ++lane) out[n * apart + lane] = sum[n][lane];
                } else {
                    result = sum[n];
                }
            }
            if (i == last) break;
            fresh = std::min(lanes, last - i);
            in += fresh;
            out += fresh;
            factor += fresh;
            i += fresh;
        }
    }

    /// Adds neighbours at multiples of `stride` to the sums of `count` points, which are also `stride` apart. Each
    /// value is loaded once and added to all sums that contain it.
    template <class Real, int bytes, int count, class Vector, class Taps>
    [[gnu::always_inline]] static void add_across(Vector* sum, const Real* in, Index stride, const Taps& taps) {
        constexpr auto at = OfWidth<Real, bytes>::at;
        if constexpr (count == 1) {
#pragma GCC unroll 8
            for (int k = 1; k <= radius; ++k) {
                const Vector& above = at(in + (first ? k - 1 : k) * stride);
                const Vector& below = at(in - k * stride);
                *sum += taps[static_cast<std::size_t>(k) - 1] * (first ? above - below : above + below);
            }
        } else {
#pragma GCC unroll 32
            for (int q = -radius; q < radius + count; ++q) {
                const Vector value = at(in + q * stride);
#pragma GCC unroll 8
                for (int n = 0; n < count; ++n) {
                    const int distance = q - n;
                    const int up = first ? distance + 1 : distance;  // tap of the points above, from 1
                    if (distance < -radius || up > radius || (!first && distance == 0)) continue;
                    const Real tap = taps[static_cast<std::size_t>(distance < 0 ? -distance : up) - 1];
                    sum[n] += (first && distance < 0 ? -tap : tap) * value;
                }
            }
        }
    }

    /// Adds neighbours on axis 1.
    template <class Real, int bytes, class Vector, class Taps>
    [[gnu::always_inline]] static void add_along(Vector& sum, const Real* c, const Taps& taps) {
        constexpr auto at = OfWidth<Real, bytes>::at;
        constexpr int lanes = bytes / static_cast<int>(sizeof(Real));
        if constexpr (bytes == 64) {
            add_along_registers<lanes>(sum, at(c - lanes), at(c), at(c + lanes), taps,
                                       std::make_integer_sequence<int, radius>());
        } else {
#pragma GCC unroll 8
            for (int k = 1; k <= radius; ++k) {
                sum +=
                    taps[static_cast<std::size_t>(k) - 1] * (first ? at(c + k - 1) - at(c - k) : at(c + k) + at(c - k));
            }
        }
    }

    /// Adds neighbours on axis 1 by shifts between registers, because most unaligned loads would cross cache lines.
    template <int lanes, class Vector, class Taps, int... k>
    [[gnu::always_inline]] static void add_along_registers(Vector& sum, const Vector& left, const Vector& centre,
                                                           const Vector& right, const Taps& taps,
                                                           std::integer_sequence<int, k...>) {
        [[maybe_unused]] const auto apart = [](const Vector& above, const Vector& below) {
            return first ? above - below : above + below;
        };
        ((sum += taps[k] *
                 apart(shifted<lanes, first ? k : k + 1>(centre, right), shifted<lanes, lanes - k - 1>(left, centre))),
         ...);
    }

    /// Returns a vector of the values of two adjacent vectors from value `by` of the first. Compilers turn
    /// __builtin_shufflevector into an instruction that occupies a register with indices, which other neighbours need.
    template <int lanes, int by, class Vector>
    [[gnu::always_inline]] static Vector shifted(const Vector& low, const Vector& high) {
        if constexpr (by == 0) return low;
        if constexpr (by == lanes) return high;
        Vector result;
        if constexpr (lanes == 16) {
            asm("valignd %3, %2, %1, %0" : "=v"(result) : "v"(high), "v"(low), "i"(by));
        } else {
            asm("valignq %3, %2, %1, %0" : "=v"(result) : "v"(high), "v"(low), "i"(by));
        }
        return result;
    }
};

}  // namespace waywiser::stencil
