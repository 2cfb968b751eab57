/// Links and spinors of one site, and the generator of random links and spinors.
#pragma once

#include "workloads/lattice/layout.hpp"

#include <array>
#include <complex>
#include <cstdint>

namespace waywiser::lattice {

using Complex = std::complex<double>;
using Matrix = std::array<std::array<Complex, 3>, 3>;
/// Values by spin, then colour.
using Spinor = std::array<Complex, 12>;

/// A product without operator*'s check for infinities.
[[nodiscard]] inline Complex times(const Complex& a, const Complex& b) {
    return {a.real() * b.real() - a.imag() * b.imag(), a.real() * b.imag() + a.imag() * b.real()};
}

[[nodiscard]] Matrix unit_matrix();
[[nodiscard]] Matrix adjoint(const Matrix& a);
[[nodiscard]] Matrix product(const Matrix& a, const Matrix& b);
/// Sets the third row of a matrix of SU(3): the complex conjugate of the first two rows' cross product.
void complete(Matrix& a);

/// Normal random numbers that depend only on seed, purpose and site.
class Random {
public:
    /// \param purpose  distinguishes sequences with the same seed
    Random(std::uint64_t seed, std::uint64_t purpose, std::uint64_t site);

    /// A complex number with parts of variance 1, none above `greatest_normal`.
    [[nodiscard]] Complex normal();

private:
    [[nodiscard]] std::uint64_t next();

    std::uint64_t state_;
};

/// The largest normal number of the Box-Muller method with 53 bits: the square root of 2 log 2^53, rounded up.
inline constexpr double greatest_normal = 8.6;

/// A random matrix, uniformly distributed over SU(3).
[[nodiscard]] Matrix random_matrix(Random random);
/// A random matrix exp(distance A), where A is antihermitian and traceless with normal numbers.
[[nodiscard]] Matrix near_unit_matrix(Random random, double distance);

}  // namespace waywiser::lattice
