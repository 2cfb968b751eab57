/// The loops of the operators. Templates over operator, order, precision and width of registers; inlined into functions
/// that are compiled for an instruction set each (dispatch.hpp).
#pragma once

#include "workloads/stencil/stencil.hpp"

namespace waywiser::stencil {

[[nodiscard]] constexpr bool is_first(Operator operation) { return operation <= Operator::first_3; }

[[nodiscard]] constexpr bool has_axis(Operator operation, int axis) {
    if (operation >= Operator::laplacian) return true;
    return static_cast<int>(operation) % 3 == axis - 1;
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
        const Index strides[3] = {1, w.stride_2, w.stride_3};
        for (Index i = w.box.lo[0]; i < w.box.hi[0]; ++i) {
            Real sum = is_first(operation) ? Real{0} : w.centre * in[i];
#pragma GCC unroll 3
            for (int axis = 1; axis <= 3; ++axis) {
                if (!has_axis(operation, axis)) continue;
                const Index stride = strides[axis - 1];
#pragma GCC unroll 8
                for (int k = 1; k <= radius; ++k) {
                    const Real tap = w.taps[axis - 1][k - 1];
                    if (is_first(operation)) {
                        sum += tap * (in[i + (k - 1) * stride] - in[i - k * stride]);
                    } else {
                        sum += tap * (in[i + k * stride] + in[i - k * stride]);
                    }
                }
            }
            out[i] = operation == Operator::leapfrog ? 2 * in[i] - out[i] + w.factor[begin + i] * sum : sum;
        }
    }
};

/// A register's worth of points at once, on several planes: a row of axis 3's neighbours is then loaded once for all of
/// these planes, not once for each.
template <Operator operation, int radius>
struct Vectors {
    template <class Real, int bytes>
    [[gnu::always_inline]] static void run(const Work<Real>& w) {
        if (w.box.extent(0) < bytes / static_cast<Index>(sizeof(Real))) {
            Plain<operation, radius>::template run<Real, bytes>(w);
            return;
        }
        constexpr int planes = has_axis(operation, 3) ? planes_at_once(2 * radius) : 1;
        Index i3 = w.box.lo[2];
        for (; i3 + planes <= w.box.hi[2]; i3 += planes) rows<Real, bytes, planes>(w, i3);
        if constexpr (planes > 1) {
            for (; i3 < w.box.hi[2]; ++i3) rows<Real, bytes, 1>(w, i3);
        }
    }

private:
    template <class Real, int bytes, int planes>
    [[gnu::always_inline]] static void rows(const Work<Real>& w, Index i3) {
        for (Index i2 = w.box.lo[1]; i2 < w.box.hi[1]; ++i2) {
            row<Real, bytes, planes>(w, i2 * w.stride_2 + i3 * w.stride_3);
        }
    }

    /// The last vector ends with the row: it overlaps the one before it, and computes some points again. For leapfrog,
    /// which overwrites what it reads, from what they were before (`old`).
    template <class Real, int bytes, int planes>
    [[gnu::always_inline]] static void row(const Work<Real>& w, Index begin) {
        constexpr bool first = is_first(operation);
        constexpr bool leapfrog = operation == Operator::leapfrog;
        constexpr Index lanes = bytes / static_cast<Index>(sizeof(Real));
        typedef Real Vector __attribute__((vector_size(bytes), aligned(sizeof(Real)), may_alias));
        const auto at = [](const Real* p) -> const Vector& { return *reinterpret_cast<const Vector*>(p); };

        const Index s2 = w.stride_2;
        const Index s3 = w.stride_3;
        const Index last = w.box.hi[0] - lanes;
        Vector old[planes];
        if constexpr (leapfrog) {
            for (int p = 0; p < planes; ++p) old[p] = at(w.out + begin + last + p * s3);
        }
        for (Index i = w.box.lo[0];; i = i + lanes < last ? i + lanes : last) {
            const Real* in = w.in + begin + i;
            Real* out = w.out + begin + i;
            Vector sum[planes] = {};
#pragma GCC unroll 8
            for (int p = 0; p < planes; ++p) {
                const Real* c = in + p * s3;
                if constexpr (!first) sum[p] = w.centre * at(c);
#pragma GCC unroll 8
                for (int k = 1; k <= radius; ++k) {
                    if constexpr (has_axis(operation, 1)) {
                        sum[p] += w.taps[0][k - 1] * (first ? at(c + k - 1) - at(c - k) : at(c + k) + at(c - k));
                    }
                    if constexpr (has_axis(operation, 2)) {
                        sum[p] += w.taps[1][k - 1] * (first ? at(c + (k - 1) * s2) - at(c - k * s2)
                                                            : at(c + k * s2) + at(c - k * s2));
                    }
                }
            }
            if constexpr (has_axis(operation, 3)) {
                Vector z[planes + 2 * radius];
#pragma GCC unroll 32
                for (int q = 0; q < planes + 2 * radius; ++q) z[q] = at(in + (q - radius) * s3);
#pragma GCC unroll 8
                for (int p = 0; p < planes; ++p) {
#pragma GCC unroll 8
                    for (int k = 1; k <= radius; ++k) {
                        const Vector& below = z[p + radius - k];
                        sum[p] += w.taps[2][k - 1] * (first ? z[p + radius + k - 1] - below : z[p + radius + k] + below);
                    }
                }
            }
#pragma GCC unroll 8
            for (int p = 0; p < planes; ++p) {
                Vector& result = *reinterpret_cast<Vector*>(out + p * s3);
                if constexpr (leapfrog) {
                    const Vector& before = i == last ? old[p] : result;
                    result = 2 * at(in + p * s3) - before + at(w.factor + begin + i + p * s3) * sum[p];
                } else {
                    result = sum[p];
                }
            }
            if (i == last) break;
        }
    }
};

}  // namespace waywiser::stencil
