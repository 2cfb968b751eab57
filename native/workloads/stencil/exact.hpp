/// The exact finite difference of a sine: the truth against which kernels are checked.
///
/// A sine is an eigenvector of every centred difference on a regular grid, so that the error of an operator, and of
/// leapfrog in time, is a closed form. It rests on published coefficients, not on those that the kernels compute.
#pragma once

#include "workloads/common/cartesian.hpp"

#include <array>
#include <vector>

namespace waywiser::stencil {

constexpr int greatest_order = 16;

/// (a_0 + 2 sum a_k cos(k phase)): of the second derivative, times h^2. `phase` is the wave number times h.
[[nodiscard]] double second_symbol(int order, double phase);

/// 2 sum c_k sin((k - 1/2) phase): of the staggered first derivative, times h.
[[nodiscard]] double first_symbol(int order, double phase);

/// |a_0| + 2 sum |a_k|
[[nodiscard]] double second_absolute_sum(int order);

/// Refuses modes whose wave is 0 at every point: there would be nothing to check.
/// \throws InvalidInput  naming --mode1 ... --mode3
void require_visible_waves(const Index3& points, const std::array<double, 3>& modes);

/// One eigenmode of P_tt = Laplace P (c = 1) in the unit cube, P = 0 on its surface.
struct Eigenmode {
    std::array<double, 3> modes{};  ///< half waves on each axis
    Index3 points{};                ///< points on each axis, including both ends
    int order = 8;
    double dt = 0;

    [[nodiscard]] double spacing(std::size_t axis) const { return 1.0 / static_cast<double>(points[axis] - 1); }
    /// pi sqrt(N1^2 + N2^2 + N3^2)
    [[nodiscard]] double angular_frequency() const;
    /// Analytic, where the space factor is 1, at the end of step `step` (from 0): sin(omega step dt).
    [[nodiscard]] double amplitude(Index step) const;
    /// The amplitude as leapfrog with the discrete Laplacian gives it, for steps 0 ... steps - 1, started with the
    /// analytic values of steps -2 and -1.
    [[nodiscard]] std::vector<double> discrete_amplitudes(Index steps) const;
    /// sum |discrete - analytic| / sum |analytic| over the steps that `every` divides (0: the last alone).
    [[nodiscard]] double relative_error(Index steps, Index every) const;
};

/// The longest stable step of leapfrog at velocity 1: 2 / sqrt(sum over the axes of sum |a_k| / h^2).
///
/// Source: L. R. Lines, R. Slawinski, R. P. Bording, "A recipe for stability of finite-difference wave-equation
/// computations", Geophysics 64, 1999, pp. 967-969, doi:10.1190/1.1444605; there for equal spacings.
[[nodiscard]] double longest_stable_step(const Index3& points, int order);

}  // namespace waywiser::stencil
