#include "workloads/minife/kernels.hpp"

#include "workloads/common/clones.hpp"

/// Bodies below are compiled into each of the clones that name them.
#define WAYWISER_BODY        \
    template <typename Real> \
    [[gnu::always_inline]] inline

namespace waywiser::minife {
namespace {

/// Prefetch distance for values and columns [entries]: the hardware's own prefetch stops at 4 KiB pages. On a Sapphire
/// Rapids core, this raised the bandwidth from 12 to 16 GB/s; its limit is 17 GB/s.
constexpr Index prefetch_distance = 512;

/// Prefetches the cache lines with a row's 27 values and 27 columns, one distance ahead. Prefetching beyond the end is
/// harmless.
inline void prefetch_row(const double* values, const std::int32_t* columns) {
    for (Index k = 0; k < 27; k += 8) __builtin_prefetch(values + prefetch_distance + k);
    for (Index k = 0; k < 27; k += 16) __builtin_prefetch(columns + prefetch_distance + k);
}

WAYWISER_CLONES
void multiply_rows(const Index* __restrict offsets, const std::int32_t* __restrict columns,
                   const double* __restrict values, Index rows, const double* __restrict x, double* __restrict y) {
    for (Index row = 0; row < rows; ++row) {
        // There are three sums, because the lengths of a hexahedral mesh's rows are multiples of 2 or 3, and a single
        // chain of 27 would be limited by latency.
        double sum[3] = {0, 0, 0};
        Index k = offsets[row];
        const Index row_end = offsets[row + 1];
        prefetch_row(values + k, columns + k);
        for (; k + 3 <= row_end; k += 3) {
            for (Index j = 0; j < 3; ++j) sum[j] += values[k + j] * x[columns[k + j]];
        }
        for (; k < row_end; ++k) sum[0] += values[k] * x[columns[k]];
        y[row] = sum[0] + sum[1] + sum[2];
    }
}

/// Sums of the nine lines by their couplings: own, adjacent in y, in z, and in both.
WAYWISER_BODY std::array<Real, 4> sums_at(const NineLines<Real>& x, Index i) {
    return {x[4][i], x[3][i] + x[5][i], x[1][i] + x[7][i], (x[0][i] + x[2][i]) + (x[6][i] + x[8][i])};
}

WAYWISER_BODY Real weighted(const std::array<Real, 4>& weights, const std::array<Real, 4>& sums) {
    return (weights[0] * sums[0] + weights[1] * sums[1]) + (weights[2] * sums[2] + weights[3] * sums[3]);
}

// A node's contribution to its two neighbours in x is computed once and kept: 4 + 4 products per node, not 27.
WAYWISER_BODY void stencil_body(Index n, Stencil<Real> stencil, NineLines<Real> x, bool low, bool high,
                                Real* __restrict scratch, Real* __restrict y) {
    Real* __restrict side_terms = scratch + 1;
    side_terms[-1] = low ? weighted(stencil.side, sums_at(x, -1)) : 0;
    for (Index i = 0; i < n; ++i) {
        const std::array<Real, 4> sums = sums_at(x, i);
        side_terms[i] = weighted(stencil.side, sums);
        y[i] = weighted(stencil.middle, sums);
    }
    side_terms[n] = high ? weighted(stencil.side, sums_at(x, n)) : 0;
    for (Index i = 0; i < n; ++i) y[i] += side_terms[i - 1] + side_terms[i + 1];
}

// There are three sums, one for each offset in x, because a single chain of 27 would be limited by latency.
WAYWISER_BODY void blocks_body(Index blocks, const Real* __restrict values, NineLines<Real> x, Real* __restrict y) {
    constexpr Index rows = block_rows<Real>;
    for (Index start = 0; start < blocks * rows; start += rows) {
        Real low[rows] = {};
        Real same[rows] = {};
        Real high[rows] = {};
        for (const Real* line : x) {
            const Real* __restrict around = line + start;
            for (Index i = 0; i < rows; ++i) low[i] += values[i] * around[i - 1];
            for (Index i = 0; i < rows; ++i) same[i] += values[rows + i] * around[i];
            for (Index i = 0; i < rows; ++i) high[i] += values[2 * rows + i] * around[i + 1];
            values += 3 * rows;
        }
        for (Index i = 0; i < rows; ++i) y[start + i] = (low[i] + same[i]) + high[i];
    }
}

WAYWISER_BODY void diagonals_body(Index n, const Real* __restrict a, const Real* __restrict b, const Real* __restrict c,
                                  const Real* __restrict x, Real* __restrict y) {
    for (Index i = 0; i < n; ++i) y[i] += a[i] * x[i - 1] + b[i] * x[i] + c[i] * x[i + 1];
}

/// There are sixteen sums in a fixed order, so that loops are vectorised without reordering, and every run has the same
/// result.
constexpr Index width = 16;

inline double total(const double (&sums)[width]) {
    double result = 0;
    for (const double sum : sums) result += sum;
    return result;
}

WAYWISER_BODY double dot_body(Index n, const Real* __restrict x, const Real* __restrict y) {
    double sums[width] = {};
    Index i = 0;
    for (; i + width <= n; i += width) {
        for (Index j = 0; j < width; ++j) sums[j] += static_cast<double>(x[i + j]) * static_cast<double>(y[i + j]);
    }
    for (; i < n; ++i) sums[0] += static_cast<double>(x[i]) * static_cast<double>(y[i]);
    return total(sums);
}

WAYWISER_BODY void xpby_body(Index n, const Real* __restrict x, Real beta, Real* __restrict y) {
    for (Index i = 0; i < n; ++i) y[i] = x[i] + beta * y[i];
}

WAYWISER_BODY double advance_body(Index n, Real alpha, const Real* __restrict p, const Real* __restrict q,
                                  Real* __restrict x, Real* __restrict r) {
    double sums[width] = {};
    Index i = 0;
    for (; i + width <= n; i += width) {
        for (Index j = 0; j < width; ++j) {
            x[i + j] += alpha * p[i + j];
            const Real residual = r[i + j] - alpha * q[i + j];
            r[i + j] = residual;
            sums[j] += static_cast<double>(residual) * static_cast<double>(residual);
        }
    }
    for (; i < n; ++i) {
        x[i] += alpha * p[i];
        r[i] -= alpha * q[i];
        sums[0] += static_cast<double>(r[i]) * static_cast<double>(r[i]);
    }
    return total(sums);
}

WAYWISER_BODY void chebyshev_body(Index n, Real kept, Real gain, const Real* __restrict b, const Real* __restrict q,
                                  const Real* __restrict x, Real* __restrict before) {
    for (Index i = 0; i < n; ++i) before[i] = x[i] + kept * (x[i] - before[i]) + gain * (b[i] - q[i]);
}

}  // namespace

void multiply(const Csr& matrix, const Segment& segment, const double* x, double* y) {
    multiply_rows(matrix.row_offsets.data() + segment.row, matrix.columns.data(), matrix.values.data(), segment.length,
                  x, y);
}

WAYWISER_CLONES
void apply_stencil(Index n, const Stencil<double>& stencil, const NineLines<double>& x, bool low, bool high,
                   double* scratch, double* y) {
    stencil_body(n, stencil, x, low, high, scratch, y);
}

WAYWISER_CLONES
void apply_stencil(Index n, const Stencil<float>& stencil, const NineLines<float>& x, bool low, bool high,
                   float* scratch, float* y) {
    stencil_body(n, stencil, x, low, high, scratch, y);
}

WAYWISER_CLONES
void multiply_blocks(Index blocks, const double* values, const NineLines<double>& x, double* y) {
    blocks_body(blocks, values, x, y);
}

WAYWISER_CLONES
void multiply_blocks(Index blocks, const float* values, const NineLines<float>& x, float* y) {
    blocks_body(blocks, values, x, y);
}

WAYWISER_CLONES
void add_three_diagonals(Index n, const double* a, const double* b, const double* c, const double* x, double* y) {
    diagonals_body(n, a, b, c, x, y);
}

WAYWISER_CLONES
void add_three_diagonals(Index n, const float* a, const float* b, const float* c, const float* x, float* y) {
    diagonals_body(n, a, b, c, x, y);
}

WAYWISER_CLONES
double dot(Index n, const double* x, const double* y) { return dot_body(n, x, y); }

WAYWISER_CLONES
double dot(Index n, const float* x, const float* y) { return dot_body(n, x, y); }

WAYWISER_CLONES
void axpy(Index n, double alpha, const double* __restrict x, double* __restrict y) {
    for (Index i = 0; i < n; ++i) y[i] += alpha * x[i];
}

WAYWISER_CLONES
void xpby(Index n, const double* x, double beta, double* y) { xpby_body(n, x, beta, y); }

WAYWISER_CLONES
void xpby(Index n, const float* x, double beta, float* y) { xpby_body(n, x, static_cast<float>(beta), y); }

WAYWISER_CLONES
double advance(Index n, double alpha, const double* p, const double* q, double* x, double* r) {
    return advance_body(n, alpha, p, q, x, r);
}

WAYWISER_CLONES
double advance(Index n, double alpha, const float* p, const float* q, float* x, float* r) {
    return advance_body(n, static_cast<float>(alpha), p, q, x, r);
}

WAYWISER_CLONES
void chebyshev(Index n, double kept, double gain, const double* b, const double* q, const double* x, double* before) {
    chebyshev_body(n, kept, gain, b, q, x, before);
}

WAYWISER_CLONES
void chebyshev(Index n, double kept, double gain, const float* b, const float* q, const float* x, float* before) {
    chebyshev_body(n, static_cast<float>(kept), static_cast<float>(gain), b, q, x, before);
}

WAYWISER_CLONES
PipelinedSums pipelined_step(Index count, double alpha, double beta, const PipelinedVectors& v) {
    double* __restrict x = v.x;
    double* __restrict r = v.r;
    double* __restrict w = v.w;
    const double* __restrict n = v.n;
    double* __restrict p = v.p;
    double* __restrict s = v.s;
    double* __restrict z = v.z;
    double rr[width] = {};
    double wr[width] = {};
    const auto step = [&](Index i, Index sum) __attribute__((always_inline)) {
        z[i] = n[i] + beta * z[i];
        s[i] = w[i] + beta * s[i];
        p[i] = r[i] + beta * p[i];
        x[i] += alpha * p[i];
        r[i] -= alpha * s[i];
        w[i] -= alpha * z[i];
        rr[sum] += r[i] * r[i];
        wr[sum] += w[i] * r[i];
    };
    Index i = 0;
    for (; i + width <= count; i += width) {
        for (Index j = 0; j < width; ++j) step(i + j, j);
    }
    for (; i < count; ++i) step(i, 0);
    return {total(rr), total(wr)};
}

}  // namespace waywiser::minife
