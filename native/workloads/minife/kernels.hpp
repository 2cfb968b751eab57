/// The three kernels of conjugate gradients, on one rank, and what each costs.
#pragma once

#include "workloads/minife/csr.hpp"

namespace waywiser::minife {

struct RowRange {
    Index begin;
    Index end;
};

/// y = A x on the rows of the range. `x` holds the halo behind the owned rows.
void multiply(const Csr& matrix, RowRange range, const double* x, double* y);

[[nodiscard]] double dot(Index n, const double* x, const double* y);

/// y += alpha x
void axpy(Index n, double alpha, const double* x, double* y);

/// y = x + beta y
void xpby(Index n, const double* x, double beta, double* y);

/// Bytes to and from memory when nothing stays in cache, the write-allocate of y included: 12 per entry, 8 per row
/// for the offset, 8 per column for x, 16 per row for y.
[[nodiscard]] constexpr Index multiply_bytes(Index rows, Index halo, Index entries) {
    return 12 * entries + 8 * rows + 8 * (rows + halo) + 16 * rows;
}
[[nodiscard]] constexpr Index multiply_flops(Index entries) { return 2 * entries; }

/// An iteration calls dot(r,r), which reads 8 B a row, and dot(p,Ap), which reads 16.
[[nodiscard]] constexpr Index dot_bytes_per_iteration(Index rows) { return 24 * rows; }
[[nodiscard]] constexpr Index dot_flops(Index rows) { return 2 * rows; }

/// axpy and xpby alike: two read, one written in place.
[[nodiscard]] constexpr Index update_bytes(Index rows) { return 24 * rows; }
[[nodiscard]] constexpr Index update_flops(Index rows) { return 2 * rows; }

}  // namespace waywiser::minife
