#include "workloads/minife/kernels.hpp"

#include "workloads/common/clones.hpp"

namespace waywiser::minife {
namespace {

/// So far ahead [entries] values and columns are asked for: the hardware's own prefetch stops at 4 KiB pages, and
/// this raised a Sapphire Rapids core from 12 to 16 GB/s of the 17 that it reads at most.
constexpr Index prefetch_distance = 512;

/// The cache lines that hold a row's 27 values and 27 columns, one distance ahead. Past the end it does no harm.
inline void prefetch_row(const double* values, const std::int32_t* columns) {
    for (Index k = 0; k < 27; k += 8) __builtin_prefetch(values + prefetch_distance + k);
    for (Index k = 0; k < 27; k += 16) __builtin_prefetch(columns + prefetch_distance + k);
}

WAYWISER_CLONES
void multiply_rows(const Index* __restrict offsets, const std::int32_t* __restrict columns,
                   const double* __restrict values, Index begin, Index end, const double* __restrict x,
                   double* __restrict y) {
    for (Index row = begin; row < end; ++row) {
        // Three sums, because rows of a hexahedral mesh are multiples of 2 or 3 long, and one chain of 27 waits.
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

}  // namespace

void multiply(const Csr& matrix, RowRange range, const double* x, double* y) {
    multiply_rows(matrix.row_offsets.data(), matrix.columns.data(), matrix.values.data(), range.begin, range.end, x, y);
}

WAYWISER_CLONES
double dot(Index n, const double* __restrict x, const double* __restrict y) {
    // Sixteen sums in a fixed order: wide without leave to reorder, hence the same result from every run.
    constexpr Index width = 16;
    double sums[width] = {};
    Index i = 0;
    for (; i + width <= n; i += width) {
        for (Index j = 0; j < width; ++j) sums[j] += x[i + j] * y[i + j];
    }
    for (; i < n; ++i) sums[0] += x[i] * y[i];
    double total = 0;
    for (const double sum : sums) total += sum;
    return total;
}

WAYWISER_CLONES
void axpy(Index n, double alpha, const double* __restrict x, double* __restrict y) {
    for (Index i = 0; i < n; ++i) y[i] += alpha * x[i];
}

WAYWISER_CLONES
void xpby(Index n, const double* __restrict x, double beta, double* __restrict y) {
    for (Index i = 0; i < n; ++i) y[i] = x[i] + beta * y[i];
}

}  // namespace waywiser::minife
