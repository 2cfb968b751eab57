/// Tridiagonal systems with one matrix for many lines, factored once. The lines are stored side by side, so that SIMD
/// lanes process different lines.
#pragma once

#include "workloads/common/cartesian.hpp"

#include <vector>

namespace waywiser::tbl {

/// Row i: lower[i] x[i-1] + diagonal[i] x[i] + upper[i] x[i+1].
struct Tridiagonal {
    std::vector<double> lower, diagonal, upper;
};

/// Factors without pivoting, which diagonally dominant matrices do not need.
class Factored {
public:
    static constexpr Index lanes = 16;  ///< two vectors of the widest registers, since latency limits elimination

    /// \param cyclic  the first row's lower neighbour is the last row, and the last row's upper one the first
    Factored(Tridiagonal matrix, bool cyclic);

    /// Solves `width` systems in place: value i of system l lies at i * stride + l.
    void solve(double* values, Index stride, Index width) const;

    /// Solves `lanes` systems in place: value i of system l lies at i * lanes + l.
    void solve_lanes(double* values) const;

private:
    std::vector<double> lower_;
    std::vector<double> inverse_;  ///< inverses of the pivots
    std::vector<double> upper_;    ///< upper coefficients divided by the pivots
    // A cyclic matrix is the sum of an open matrix and a matrix of rank 1 (Sherman and Morrison).
    std::vector<double> correction_;  ///< empty for an open line
    double last_weight_ = 0;
};

}  // namespace waywiser::tbl
