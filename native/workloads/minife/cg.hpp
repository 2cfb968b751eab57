/// Conjugate gradients without preconditioner, with the communication of miniFE: two Allreduce and one exchange.
///
/// Source: M. R. Hestenes, E. Stiefel, "Methods of conjugate gradients for solving linear systems", Journal of
/// Research of the National Bureau of Standards 49(6), 1952, pp. 409-436, doi:10.6028/jres.049.044.
#pragma once

#include "workloads/common/array.hpp"
#include "workloads/minife/operator.hpp"

namespace waywiser::minife {

struct CgStop {
    double tolerance;  ///< on ||r||2, absolute
    Index iteration_limit;
    bool fixed_iterations;  ///< ignore the tolerance: exactly `iteration_limit` iterations
};

/// Times of this rank; `matvec_s` includes `exchange_s`, `dot_s` includes `allreduce_s`.
struct CgTimes {
    double total_s = 0;
    double matvec_s = 0;
    double exchange_s = 0;
    double dot_s = 0;
    double allreduce_s = 0;
    double update_s = 0;
};

struct CgResult {
    Array<double> solution;  ///< shape (rows + halo,), the halo part not up to date
    Array<double> residual;  ///< shape (rows,), of the recurrence
    Index iterations = 0;
    double initial_norm = 0;   ///< ||b - A 0||2 = ||b||2
    double residual_norm = 0;  ///< ||r||2 of the recurrence
    bool converged = false;
    bool broke_down = false;  ///< p.Ap was not positive: the matrix is not positive definite, or r became 0
    CgTimes times;
};

/// Starts from x = 0. Calls Allreduce 2 * iterations + 1 times and the operator iterations + 1 times.
[[nodiscard]] CgResult solve(Operator& a, const Array<double>& right_side, Index halo, const CgStop& stop,
                             MPI_Comm communicator);

/// Per matrix: what `solve` reads and writes [B], and computes.
[[nodiscard]] constexpr Index cg_bytes(Index rows, Index halo, Index entries, Index iterations) {
    return (iterations + 1) * multiply_bytes(rows, halo, entries) + iterations * dot_bytes_per_iteration(rows) +
           (3 * iterations + 1) * update_bytes(rows) + Index{48} * rows;
}
[[nodiscard]] constexpr Index cg_flops(Index rows, Index entries, Index iterations) {
    return (iterations + 1) * multiply_flops(entries) + (2 * iterations + 1) * dot_flops(rows) +
           (3 * iterations + 1) * update_flops(rows);
}

}  // namespace waywiser::minife
