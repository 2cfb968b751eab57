/// Conjugate gradients in several forms. Forms have no preconditioner unless stated otherwise.
///
/// Source: M. R. Hestenes, E. Stiefel, "Methods of conjugate gradients for solving linear systems", Journal of Research
/// of the National Bureau of Standards 49(6), 1952, pp. 409-436, doi:10.6028/jres.049.044.
#pragma once

#include "workloads/minife/account.hpp"
#include "workloads/minife/operator.hpp"

namespace waywiser::minife {

struct CgStop {
    double tolerance;  ///< absolute tolerance of ||r||2
    Index iteration_limit;
    bool fixed_iterations;  ///< ignore the tolerance: exactly `iteration_limit` iterations

    [[nodiscard]] bool at(Index iterations, double residual_norm) const {
        return iterations >= iteration_limit || (!fixed_iterations && residual_norm <= tolerance);
    }
};

struct CgResult {
    explicit CgResult(const Layout& layout) : solution(layout), residual(layout) {}

    Field<double> solution;  ///< solution; its halo is not up to date
    Field<double> residual;  ///< residual of the recurrence; its halo is not up to date
    Index iterations = 0;
    double initial_norm = 0;   ///< ||b - A 0||2 = ||b||2
    double residual_norm = 0;  ///< ||r||2 of the recurrence
    bool converged = false;
    bool broke_down = false;  ///< p.Ap was not positive: the matrix is not positive definite, or r became 0
    CgAccounts accounts;
};

/// z = M^-1 r on all owned nodes, M symmetric and positive definite.
class Preconditioner {
public:
    Preconditioner() = default;
    Preconditioner(const Preconditioner&) = delete;
    Preconditioner& operator=(const Preconditioner&) = delete;
    virtual ~Preconditioner() = default;
    virtual void apply(const Field<double>& r, Field<double>& z) = 0;
    [[nodiscard]] virtual Work work() const = 0;  ///< work of one application on this rank
};

// All solvers are collective and start from x = 0, with the right side b of shape (rows,).

/// The solver of miniFE: each vector operation is a separate loop; an iteration has two Allreduces and one exchange.
[[nodiscard]] CgResult solve_standard(Product<double>& a, const Array<double>& b, const CgStop& stop, MPI_Comm comm);

/// The arithmetic and communication of solve_standard() in two sweeps, see fused.hpp.
[[nodiscard]] CgResult solve_fused(Product<double>& a, const Array<double>& b, const CgStop& stop, MPI_Comm comm);

/// One nonblocking Allreduce per iteration, overlapped with the product.
///
/// Source: P. Ghysels, W. Vanroose, "Hiding global synchronization latency in the preconditioned Conjugate Gradient
/// algorithm", Parallel Computing 40(7), 2014, pp. 224-238, doi:10.1016/j.parco.2013.06.001.
[[nodiscard]] CgResult solve_pipelined(Product<double>& a, const Array<double>& b, const CgStop& stop, MPI_Comm comm);

/// Fused iterations in single precision on `inner`, with the solution and its true residual in double on `a`. Whenever
/// the residual has fallen to a tenth, it is recomputed, and the search directions are kept.
///
/// Source: M. A. Clark, R. Babich, K. Barros, R. C. Brower, C. Rebbi, "Solving lattice QCD systems of equations using
/// mixed precision solvers on GPUs", Computer Physics Communications 181(9), 2010, pp. 1517-1528,
/// doi:10.1016/j.cpc.2010.05.002 (reliable updates).
[[nodiscard]] CgResult solve_mixed(Product<double>& a, Product<float>& inner, const Array<double>& b,
                                   const CgStop& stop, MPI_Comm comm);

/// The preconditioned form has two Allreduces and one exchange per iteration in addition to the preconditioner's.
[[nodiscard]] CgResult solve_preconditioned(Product<double>& a, Preconditioner& m, const Array<double>& b,
                                            const CgStop& stop, MPI_Comm comm);

}  // namespace waywiser::minife
