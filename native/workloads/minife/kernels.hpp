/// The loops of conjugate gradients on one rank: over rows of a matrix, over a line of nodes, over vectors.
///
/// Each loop exists for double and float; sums are always in double.
#pragma once

#include "workloads/minife/csr.hpp"

#include <array>

namespace waywiser::minife {

/// Sets y[0 .. segment.length) to the segment's rows of A x, for a field x.
void multiply(const Csr& matrix, const Segment& segment, const double* x, double* y);

/// Couplings of a free node with its 27 neighbours, equal at every node of a mesh of equal bricks and symmetric.
/// Coefficients by the line of the neighbour, (dy != 0) + 2 (dz != 0).
template <typename Real>
struct Stencil {
    std::array<Real, 4> middle;  ///< dx = 0
    std::array<Real, 4> side;    ///< dx = -1 and dx = 1
};

/// Nine lines of values around and including a line of nodes, with index (dy + 1) + 3 (dz + 1).
template <typename Real>
using NineLines = std::array<const Real*, 9>;

/// Sets y to the stencil's values at n nodes, whose neighbours' values start at x[.][-1].
/// \param low, high  false: the nodes before the first and after the last count as 0
/// \param scratch  n + 2 values
void apply_stencil(Index n, const Stencil<double>& stencil, const NineLines<double>& x, bool low, bool high,
                   double* scratch, double* y);
void apply_stencil(Index n, const Stencil<float>& stencil, const NineLines<float>& x, bool low, bool high,
                   float* scratch, float* y);

/// Number of rows in one register, or in several narrow ones: one cache line of values.
template <typename Real>
constexpr Index block_rows = 64 / sizeof(Real);

/// y = the rows of `blocks` blocks of 27 x block_rows values, by entry and row, whose lines of neighbours begin at
/// x[.][-1].
void multiply_blocks(Index blocks, const double* values, const NineLines<double>& x, double* y);
void multiply_blocks(Index blocks, const float* values, const NineLines<float>& x, float* y);

/// y[i] += a[i] x[i-1] + b[i] x[i] + c[i] x[i+1]
void add_three_diagonals(Index n, const double* a, const double* b, const double* c, const double* x, double* y);
void add_three_diagonals(Index n, const float* a, const float* b, const float* c, const float* x, float* y);

[[nodiscard]] double dot(Index n, const double* x, const double* y);
[[nodiscard]] double dot(Index n, const float* x, const float* y);

/// y += alpha x
void axpy(Index n, double alpha, const double* x, double* y);

/// y = x + beta y
void xpby(Index n, const double* x, double beta, double* y);
void xpby(Index n, const float* x, double beta, float* y);

/// x += alpha p, r -= alpha q. \return r.r
double advance(Index n, double alpha, const double* p, const double* q, double* x, double* r);
double advance(Index n, double alpha, const float* p, const float* q, float* x, float* r);

/// The vectors of pipelined conjugate gradients: solution, residual, w = A r, n = A w; directions p, s = A p, z = A s.
struct PipelinedVectors {
    double* x;
    double* r;
    double* w;
    const double* n;
    double* p;
    double* s;
    double* z;
};
struct PipelinedSums {
    double rr = 0;
    double wr = 0;

    PipelinedSums& operator+=(const PipelinedSums& more) {
        rr += more.rr;
        wr += more.wr;
        return *this;
    }
};
/// First z = n + beta z, s = w + beta s, p = r + beta p. Then x += alpha p, r -= alpha s, w -= alpha z.
/// \return r.r and w.r
PipelinedSums pipelined_step(Index count, double alpha, double beta, const PipelinedVectors& v);

/// before = x + kept (x - before) + gain (b - q): one step of a Chebyshev iteration, q being A x.
void chebyshev(Index n, double kept, double gain, const double* b, const double* q, const double* x, double* before);
void chebyshev(Index n, double kept, double gain, const float* b, const float* q, const float* x, float* before);

}  // namespace waywiser::minife
