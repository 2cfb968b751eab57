#include "workloads/lattice/su3.hpp"

#include "base/hash.hpp"

#include <bit>
#include <cmath>
#include <numbers>

namespace waywiser::lattice {
namespace {

Matrix normal_matrix(Random& random) {
    Matrix a{};
    for (auto& row : a) {
        for (Complex& value : row) value = random.normal();
    }
    return a;
}

Complex determinant(const Matrix& a) {
    Complex sum = 0;
    for (std::size_t i = 0; i < 3; ++i) {
        const std::size_t j = (i + 1) % 3;
        const std::size_t k = (i + 2) % 3;
        sum += times(a[0][i], times(a[1][j], a[2][k]) - times(a[1][k], a[2][j]));
    }
    return sum;
}

}  // namespace

Matrix unit_matrix() {
    Matrix a{};
    for (std::size_t i = 0; i < 3; ++i) a[i][i] = 1;
    return a;
}

Matrix adjoint(const Matrix& a) {
    Matrix b{};
    for (std::size_t i = 0; i < 3; ++i) {
        for (std::size_t j = 0; j < 3; ++j) b[i][j] = std::conj(a[j][i]);
    }
    return b;
}

Matrix product(const Matrix& a, const Matrix& b) {
    Matrix c{};
    for (std::size_t i = 0; i < 3; ++i) {
        for (std::size_t j = 0; j < 3; ++j) {
            for (std::size_t k = 0; k < 3; ++k) c[i][j] += times(a[i][k], b[k][j]);
        }
    }
    return c;
}

void complete(Matrix& a) {
    for (std::size_t i = 0; i < 3; ++i) {
        const std::size_t j = (i + 1) % 3;
        const std::size_t k = (i + 2) % 3;
        a[2][i] = std::conj(times(a[0][j], a[1][k]) - times(a[0][k], a[1][j]));
    }
}

Random::Random(std::uint64_t seed, std::uint64_t purpose, std::uint64_t site)
    : state_(splitmix(splitmix(splitmix(seed + kGolden) + purpose) + site)) {}

std::uint64_t Random::next() {
    state_ += kGolden;
    return splitmix(state_);
}

Complex Random::normal() {
    const double above_0 = std::ldexp(static_cast<double>((next() >> 11U) + 1), -53);
    const double angle = 2 * std::numbers::pi * std::ldexp(static_cast<double>(next() >> 11U), -53);
    return std::polar(std::sqrt(-2 * std::log(above_0)), angle);
}

/// Returns the unitary factor of a normal matrix, divided by the cube root of its determinant. The triangular factor
/// has a positive diagonal.
Matrix random_matrix(Random random) {
    Matrix a = normal_matrix(random);
    for (std::size_t i = 0; i < 3; ++i) {
        // The step is repeated, because nearly parallel rows lose their orthogonality in one step (B. N. Parlett, "The
        // Symmetric Eigenvalue Problem", SIAM 1998, section 6.9).
        for (std::size_t n = 0; n < 2 * i; ++n) {
            const std::size_t j = n % i;
            Complex along = 0;
            for (std::size_t k = 0; k < 3; ++k) along += times(std::conj(a[j][k]), a[i][k]);
            for (std::size_t k = 0; k < 3; ++k) a[i][k] -= times(along, a[j][k]);
        }
        double square = 0;
        for (const Complex& value : a[i]) square += std::norm(value);
        for (Complex& value : a[i]) value /= std::sqrt(square);
    }
    const Complex root = std::pow(determinant(a), 1.0 / 3);
    for (auto& row : a) {
        for (Complex& value : row) value /= root;
    }
    return a;
}

Matrix near_unit_matrix(Random random, double distance) {
    const Matrix a = normal_matrix(random);
    const Matrix transposed = adjoint(a);
    constexpr int halvings = 6;
    constexpr int terms = 16;
    Matrix exponent{};
    Complex trace = 0;
    for (std::size_t i = 0; i < 3; ++i) trace += (a[i][i] - transposed[i][i]) / 2.0;
    for (std::size_t i = 0; i < 3; ++i) {
        for (std::size_t j = 0; j < 3; ++j) {
            const Complex value = (a[i][j] - transposed[i][j]) / 2.0 - (i == j ? trace / 3.0 : Complex(0));
            exponent[i][j] = std::ldexp(distance, -halvings) * value;
        }
    }
    Matrix power = unit_matrix();
    for (int n = terms; n >= 1; --n) {
        power = product(exponent, power);
        for (std::size_t i = 0; i < 3; ++i) {
            for (std::size_t j = 0; j < 3; ++j) power[i][j] = power[i][j] / static_cast<double>(n) + (i == j ? 1.0 : 0);
        }
    }
    for (int i = 0; i < halvings; ++i) power = product(power, power);
    return power;
}

}  // namespace waywiser::lattice
