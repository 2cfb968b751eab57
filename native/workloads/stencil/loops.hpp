/// The loops of the operators. Templates over operator, order, precision and width of registers; inlined into functions
/// that are compiled for an instruction set each (dispatch.hpp).
#pragma once

#include "workloads/stencil/stencil.hpp"

#include <algorithm>
#include <utility>

namespace waywiser::stencil {

[[nodiscard]] constexpr bool is_first(Operator operation) { return operation <= Operator::first_3; }

[[nodiscard]] constexpr bool has_axis(Operator operation, int axis) {
    if (operation >= Operator::laplacian) return true;
    return static_cast<int>(operation) % 3 == axis - 1;
}

/// Round the caches, so that the line is not read from memory first. `to` is aligned to the vector.
template <class Vector>
[[gnu::always_inline]] inline void store_nontemporal(Vector* to, const Vector& value) {
#ifdef __x86_64__
    // Not the intrinsics, which do not mix with functions of other instruction sets.
    if constexpr (sizeof(Vector) == 16) {
        asm volatile("movntps %1, %0" : "=m"(*to) : "x"(value));
    } else {
        asm volatile("vmovntps %1, %0" : "=m"(*to) : "v"(value));
    }
#else
    *to = value;
#endif
}

/// What the next planes will read, while these are computed. Where it is beyond a grid, nothing happens.
[[gnu::always_inline]] inline void fetch_into_second_cache(const void* line) { __builtin_prefetch(line, 0, 2); }

/// Before other threads read what was stored so.
inline void fence_nontemporal() {
#ifdef __x86_64__
    asm volatile("sfence" ::: "memory");
#endif
}

/// Point by point.
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
        const auto taps = w.taps;  // copies: what is written to `out` cannot change them
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

    /// A fold, not a loop: compilers make vectors of the points of a row only where there is no loop within.
    template <class Real, class Taps, int... k>
    [[gnu::always_inline]] static Real along([[maybe_unused]] const Real* in, [[maybe_unused]] Index stride,
                                             [[maybe_unused]] const Taps& taps, std::integer_sequence<int, k...>) {
        // k counts from 0: neighbours k + 1 away.
        [[maybe_unused]] constexpr int up = is_first(operation) ? 0 : 1;
        [[maybe_unused]] constexpr Real sign = is_first(operation) ? -1 : 1;
        return (Real{0} + ... + (taps[k] * (in[(k + up) * stride] + sign * in[-(k + 1) * stride])));
    }
};

/// A register's worth of points at once, on several planes, or rows where axis 3 has no part: neighbours across these
/// are then loaded once for all of them, not once for each.
template <Operator operation, int radius>
struct Vectors {
    template <class Real, int bytes>
    [[gnu::always_inline]] static void run(const Work<Real>& w) {
        if (w.box.extent(0) < bytes / static_cast<Index>(sizeof(Real))) {
            Plain<operation, radius>::template run<Real, bytes>(w);
            return;
        }
        Region bundles = w.box;
        Region rest = w.box;
        bundles.hi[across] -= w.box.extent(across) % together;
        rest.lo[across] = bundles.hi[across];
        each<Real, bytes, together>(w, bundles);
        if constexpr (together > 1) each<Real, bytes, 1>(w, rest);
        if (w.nontemporal) fence_nontemporal();
    }

private:
    static constexpr bool first = is_first(operation);
    static constexpr bool leapfrog = operation == Operator::leapfrog;
    /// Axis (from 0) on which rows of points are computed together, and how many.
    static constexpr std::size_t across = has_axis(operation, 3) ? 2 : 1;
    static constexpr int together = has_axis(operation, 3)   ? planes_at_once(2 * radius)
                                    : has_axis(operation, 2) ? 4
                                                             : 1;

    template <class Real, int bytes>
    struct OfWidth {
        typedef Real Vector __attribute__((vector_size(bytes), aligned(sizeof(Real)), may_alias));
        [[gnu::always_inline]] static const Vector& at(const Real* p) { return *reinterpret_cast<const Vector*>(p); }
    };

    template <class Real, int bytes, int count>
    [[gnu::always_inline]] static void each(const Work<Real>& w, const Region& box) {
        for (Index i3 = box.lo[2]; i3 < box.hi[2]; i3 += across == 2 ? count : 1) {
            for (Index i2 = box.lo[1]; i2 < box.hi[1]; i2 += across == 1 ? count : 1) {
                row<Real, bytes, count>(w, i2 * w.stride_2 + i3 * w.stride_3);
            }
        }
    }

    /// The last vector ends with the row: it overlaps the one before it, and computes some points again. For leapfrog,
    /// which overwrites what it reads, from what they were before (`old`).
    template <class Real, int bytes, int count>
    [[gnu::always_inline]] static void row(const Work<Real>& w, Index begin) {
        using Vector = typename OfWidth<Real, bytes>::Vector;
        constexpr auto at = OfWidth<Real, bytes>::at;
        constexpr Index lanes = bytes / static_cast<Index>(sizeof(Real));
        const auto taps = w.taps;  // copies: what is written to `out` cannot change them
        const Real centre = w.centre;
        const Index s2 = w.stride_2;
        const Index apart = across == 2 ? w.stride_3 : s2;
        const Index last = w.box.hi[0] - lanes;
        const Real* in = w.in + begin + w.box.lo[0];
        const Real* factor = w.factor + begin + w.box.lo[0];
        Real* out = w.out + begin + w.box.lo[0];
        Vector old[count];
        if constexpr (leapfrog) {
            for (int n = 0; n < count; ++n) old[n] = at(w.out + begin + last + n * apart);
        }
        for (Index i = w.box.lo[0];;) {
            // Streams of so many planes are more than the processor follows by itself.
            if constexpr (has_axis(operation, 3) && radius > 0) {
#pragma GCC unroll 8
                for (int n = count; n < 2 * count; ++n) {
                    fetch_into_second_cache(in + (n + radius) * apart);
                    if constexpr (leapfrog) fetch_into_second_cache(out + n * apart);
                    if constexpr (leapfrog) fetch_into_second_cache(factor + n * apart);
                }
            }
            Vector sum[count] = {};
#pragma GCC unroll 8
            for (int n = 0; n < count; ++n) {
                const Real* c = in + n * apart;
                if constexpr (!first) sum[n] = centre * at(c);
                if constexpr (has_axis(operation, 1)) add_along<Real, bytes>(sum[n], c, taps[0]);
                if constexpr (across == 2 && has_axis(operation, 2))
                    add_across<Real, bytes, 1>(sum + n, c, s2, taps[1]);
            }
            if constexpr (has_axis(operation, across + 1)) {
                add_across<Real, bytes, count>(sum, in, apart, taps[across]);
            }
#pragma GCC unroll 8
            for (int n = 0; n < count; ++n) {
                Vector& result = *reinterpret_cast<Vector*>(out + n * apart);
                if constexpr (leapfrog) {
                    const Vector& before = i == last ? old[n] : result;
                    result = 2 * at(in + n * apart) - before + at(factor + n * apart) * sum[n];
                } else if (w.nontemporal && i % lanes == 0) {
                    store_nontemporal(&result, sum[n]);
                } else {
                    result = sum[n];
                }
            }
            if (i == last) break;
            const Index step = std::min(lanes, last - i);
            in += step;
            out += step;
            factor += step;
            i += step;
        }
    }

    /// Neighbours `stride` apart, of `count` points as far apart.
    template <class Real, int bytes, int count, class Vector, class Taps>
    [[gnu::always_inline]] static void add_across(Vector* sum, const Real* in, Index stride, const Taps& taps) {
        Vector column[count + 2 * radius];
#pragma GCC unroll 32
        for (int q = 0; q < count + 2 * radius; ++q) column[q] = OfWidth<Real, bytes>::at(in + (q - radius) * stride);
#pragma GCC unroll 8
        for (int n = 0; n < count; ++n) {
            const Vector* c = column + n + radius;
#pragma GCC unroll 8
            for (int k = 1; k <= radius; ++k) {
                sum[n] += taps[static_cast<std::size_t>(k) - 1] * (first ? c[k - 1] - c[-k] : c[k] + c[-k]);
            }
        }
    }

    /// Neighbours on axis 1.
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

    /// Neighbours on axis 1 by shifts within registers: loads of them would cross cache lines, all but a few.
    template <int lanes, class Vector, class Taps, int... k>
    [[gnu::always_inline]] static void add_along_registers(Vector& sum, const Vector& left, const Vector& centre,
                                                           const Vector& right, const Taps& taps,
                                                           std::integer_sequence<int, k...>) {
        [[maybe_unused]] constexpr auto all = std::make_integer_sequence<int, lanes>();
        (add_shifted<first ? k : k + 1, lanes - k - 1>(sum, left, centre, right, taps[k], all), ...);
    }

    template <int up, int down, class Vector, class Real, int... lane>
    [[gnu::always_inline]] static void add_shifted(Vector& sum, const Vector& left, const Vector& centre,
                                                   const Vector& right, Real tap, std::integer_sequence<int, lane...>) {
        const Vector above = __builtin_shufflevector(centre, right, (up + lane)...);
        const Vector below = __builtin_shufflevector(left, centre, (down + lane)...);
        sum += tap * (first ? above - below : above + below);
    }
};

}  // namespace waywiser::stencil
