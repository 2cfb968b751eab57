/// Coefficients of centred finite differences on a regular grid, of any even order.
///
/// Source: B. Fornberg, "Generation of finite difference formulas on arbitrarily spaced grids", Mathematics of
/// Computation 51, 1988, pp. 699-706, doi:10.1090/S0025-5718-1988-0935077-0; here in closed form for regular grids.
#pragma once

#include <array>
#include <cstddef>

namespace waywiser::stencil {

[[nodiscard]] constexpr double factorial(int n) {
    double product = 1;
    for (int i = 2; i <= n; ++i) product *= i;
    return product;
}

/// Second derivative, order 2m: (a_0 u_i + sum over k of a_k (u_{i-k} + u_{i+k})) / h^2. The result is a_0 ... a_m.
template <int m>
[[nodiscard]] constexpr std::array<double, m + 1> second_derivative() {
    std::array<double, m + 1> a{};
    for (int k = 1; k <= m; ++k) {
        const double sign = k % 2 == 1 ? 1 : -1;
        a[static_cast<std::size_t>(k)] =
            sign * 2 * factorial(m) / factorial(m - k) * factorial(m) / factorial(m + k) / (k * k);
        a[0] -= 2 * a[static_cast<std::size_t>(k)];
    }
    return a;
}

/// First derivative at i - 1/2, order 2m: (sum over k of c_k (u_{i+k-1} - u_{i-k})) / h. The result is c_1 ... c_m.
template <int m>
[[nodiscard]] constexpr std::array<double, m> staggered_first_derivative() {
    double odd = 1;  // (2m-1)!! / 2^(m-1), squared below
    for (int i = 3; i < 2 * m; i += 2) odd *= i / 2.0;
    std::array<double, m> c{};
    for (int k = 1; k <= m; ++k) {
        const double sign = k % 2 == 1 ? 1 : -1;
        c[static_cast<std::size_t>(k) - 1] =
            sign * odd / factorial(m - k) * odd / factorial(m + k - 1) / ((2 * k - 1) * (2 * k - 1));
    }
    return c;
}

}  // namespace waywiser::stencil
