/// Exact finite differences of a sine, against which kernels are verified.
///
/// A sine is an eigenvector of every centred difference on a regular grid. The error of an operator, and of leapfrog in
/// time, is therefore a closed form. The closed form uses published coefficients, independent of the coefficients that
/// the kernels compute.
#pragma once

#include "workloads/common/cartesian.hpp"

#include <array>
#include <vector>

namespace waywiser::stencil {

constexpr int greatest_order = 16;

/// Symbol of the second derivative, times h^2: a_0 + 2 sum a_k cos(k phase). `phase` is the wave number times h.
[[nodiscard]] double second_symbol(int order, double phase);

/// Symbol of the staggered first derivative, times h: 2 sum c_k sin((k - 1/2) phase).
[[nodiscard]] double first_symbol(int order, double phase);

/// Sum of the absolute coefficients of the second derivative: |a_0| + 2 sum |a_k|.
[[nodiscard]] double second_absolute_sum(int order);

/// Rejects modes whose wave is 0 at every point, because a field of zeros verifies nothing.
/// \throws InvalidInput  with the name of the option, --mode1 ... --mode3
void require_visible_waves(const Index3& points, const std::array<double, 3>& modes);

/// An eigenmode of P_tt = Laplace P (c = 1) in the unit cube, with P = 0 on its surface.
struct Eigenmode {
    std::array<double, 3> modes{};  ///< half waves on each axis
    Index3 points{};                ///< points on each axis, including both ends
    int order = 8;
    double dt = 0;

    [[nodiscard]] double spacing(std::size_t axis) const { return 1.0 / static_cast<double>(points[axis] - 1); }
    /// Angular frequency pi sqrt(N1^2 + N2^2 + N3^2), where N are the modes.
    [[nodiscard]] double angular_frequency() const;
    /// Analytic amplitude at the end of step `step` (from 0), where the space factor is 1: sin(omega step dt).
    [[nodiscard]] double amplitude(Index step) const;
    /// Amplitudes that leapfrog with the discrete Laplacian yields in steps 0 ... steps - 1, started with the analytic
    /// values of steps -2 and -1.
    [[nodiscard]] std::vector<double> discrete_amplitudes(Index steps) const;
    /// Relative error sum |discrete - analytic| / sum |analytic| over the steps that `every` divides (0: over the last
    /// step).
    [[nodiscard]] double relative_error(Index steps, Index every) const;
};

/// The longest stable step of leapfrog at velocity 1: 2 / sqrt(sum over the axes of sum |a_k| / h^2).
///
/// Source: L. R. Lines, R. Slawinski, R. P. Bording, "A recipe for stability of finite-difference wave-equation
/// computations", Geophysics 64, 1999, pp. 967-969, doi:10.1190/1.1444605, which treats equal spacings.
[[nodiscard]] double longest_stable_step(const Index3& points, int order);

}  // namespace waywiser::stencil
