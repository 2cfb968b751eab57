/// Conjugate gradients for D x = b on even sites. The solver solves M^+ M x_e = M^+ (b_e + kappa H b_o), and x_o
/// follows from x_e.
#pragma once

#include "workloads/common/program.hpp"
#include "workloads/lattice/dirac.hpp"

namespace waywiser::lattice {

struct Solved {
    Index iterations = 0;
    bool converged = false;
    double residual = 0;  ///< residual of the normal equations, relative to their right-hand side
};

/// Upper bound of the norm of M, because H has a norm of at most 8 for all links.
[[nodiscard]] double norm_of_even(double kappa);

class Solver {
public:
    Solver(const Sites& sites, Dirac& dirac, const Ranks& ranks);

    /// \param square_bound  upper bound of the square of b's norm
    Solved solve(const Full& b, double square_bound, double tolerance, Index most_iterations, Full& x);

private:
    [[nodiscard]] double dot(const Half& a, const Half& b, double bound);
    [[nodiscard]] double update(Half& x, double step, double bound);
    void turn(double factor);
    [[nodiscard]] double sum_over_ranks(double sum);
    /// Calls `body(first, blocks)` on each thread with its share, and returns the sum of the results.
    template <class Body>
    double by_threads(Body body);

    const Sites& sites_;
    Dirac& dirac_;
    Ranks ranks_;
    FieldKernels kernels_;
    Stopwatch watch_;
    Half right_, residual_, search_, intermediate_, image_;
};

}  // namespace waywiser::lattice
