#include "workloads/tbl/orr_sommerfeld.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>

namespace waywiser::tbl {
namespace {

using Complex = std::complex<double>;
using Vector = std::vector<Complex>;

/// order of the polynomials, which gives eight digits of the growth rate at Reynolds number 10,000
constexpr std::size_t order = 96;

template <class Value>
class Matrix {
public:
    explicit Matrix(std::size_t rows) : rows_(rows), values_(rows * rows) {}
    [[nodiscard]] std::size_t rows() const { return rows_; }
    Value& operator()(std::size_t i, std::size_t j) { return values_[i * rows_ + j]; }
    const Value& operator()(std::size_t i, std::size_t j) const { return values_[i * rows_ + j]; }

private:
    std::size_t rows_;
    std::vector<Value> values_;
};

template <class Value, class Other>
std::vector<Other> product(const Matrix<Value>& a, const std::vector<Other>& x) {
    std::vector<Other> y(a.rows());
    for (std::size_t i = 0; i < a.rows(); ++i) {
        for (std::size_t j = 0; j < a.rows(); ++j) y[i] += a(i, j) * x[j];
    }
    return y;
}

Matrix<double> product(const Matrix<double>& a, const Matrix<double>& b) {
    Matrix<double> c(a.rows());
    for (std::size_t i = 0; i < a.rows(); ++i) {
        for (std::size_t k = 0; k < a.rows(); ++k) {
            for (std::size_t j = 0; j < a.rows(); ++j) c(i, j) += a(i, k) * b(k, j);
        }
    }
    return c;
}

/// Differentiation matrix at the points cos(j pi / order). Source: L. N. Trefethen, "Spectral Methods in MATLAB"
/// (2000), chapter 6.
Matrix<double> derivative(const std::vector<double>& x) {
    Matrix<double> d(x.size());
    const auto weight = [&](std::size_t i) { return (i == 0 || i == order ? 2.0 : 1.0) * (i % 2 == 0 ? 1 : -1); };
    for (std::size_t i = 0; i < x.size(); ++i) {
        for (std::size_t j = 0; j < x.size(); ++j) {
            if (i == j) continue;
            d(i, j) = weight(i) / weight(j) / (x[i] - x[j]);
            d(i, i) -= d(i, j);
        }
    }
    return d;
}

/// Solves a x = b by Gaussian elimination with partial pivoting.
Vector solve(Matrix<Complex> a, Vector b) {
    const std::size_t n = a.rows();
    for (std::size_t k = 0; k < n; ++k) {
        std::size_t pivot = k;
        for (std::size_t i = k + 1; i < n; ++i) {
            if (std::abs(a(i, k)) > std::abs(a(pivot, k))) pivot = i;
        }
        std::swap(b[k], b[pivot]);
        for (std::size_t j = k; j < n; ++j) std::swap(a(k, j), a(pivot, j));
        for (std::size_t i = k + 1; i < n; ++i) {
            const Complex factor = a(i, k) / a(k, k);
            for (std::size_t j = k; j < n; ++j) a(i, j) -= factor * a(k, j);
            b[i] -= factor * b[k];
        }
    }
    for (std::size_t k = n; k-- > 0;) {
        for (std::size_t j = k + 1; j < n; ++j) b[k] -= a(k, j) * b[j];
        b[k] /= a(k, k);
    }
    return b;
}

/// Matrices of both sides of (U (D^2 - alpha^2) - U'' + i / (alpha Re) (D^2 - alpha^2)^2) v = c (D^2 - alpha^2) v at
/// inner points.
struct Pencil {
    Matrix<Complex> left, right;
};

/// The fourth derivative is that of a polynomial with double zeros at the plates (Trefethen, chapter 14).
Pencil operators(const std::vector<double>& x, const Matrix<double>& d, double alpha, double reynolds) {
    const Matrix<double> d2 = product(d, d);
    const Matrix<double> d3 = product(d, d2);
    const Matrix<double> d4 = product(d2, d2);
    const std::size_t n = order - 1;
    Pencil pencil{Matrix<Complex>(n), Matrix<Complex>(n)};
    const double a2 = alpha * alpha;
    for (std::size_t i = 0; i < n; ++i) {
        const double y = x[i + 1];
        for (std::size_t j = 0; j < n; ++j) {
            const double same = i == j ? 1 : 0;
            const double second = d2(i + 1, j + 1);
            const double fourth =
                ((1 - y * y) * d4(i + 1, j + 1) - 8 * y * d3(i + 1, j + 1) - 12 * second) / (1 - x[j + 1] * x[j + 1]);
            const double laplacian = second - a2 * same;
            const double squared = fourth - 2 * a2 * second + a2 * a2 * same;
            pencil.left(i, j) = (1 - y * y) * laplacian + 2 * same + Complex(0, 1 / (alpha * reynolds)) * squared;
            pencil.right(i, j) = laplacian;
        }
    }
    return pencil;
}

/// Interpolates between the points by the barycentric formula.
Complex interpolate(const std::vector<double>& nodes, const Vector& values, double y) {
    Complex above = 0;
    double below = 0;
    for (std::size_t j = 0; j < nodes.size(); ++j) {
        if (y == nodes[j]) return values[j];
        const double weight = (j == 0 || j == order ? 0.5 : 1) * (j % 2 == 0 ? 1 : -1) / (y - nodes[j]);
        above += weight * values[j];
        below += weight;
    }
    return above / below;
}

}  // namespace

OrrSommerfeld::OrrSommerfeld(double alpha, double reynolds) : alpha_(alpha) {
    for (std::size_t j = 0; j <= order; ++j) {
        nodes_.push_back(std::cos(std::numbers::pi * static_cast<double>(j) / static_cast<double>(order)));
    }
    const Matrix<double> d = derivative(nodes_);
    const Pencil pencil = operators(nodes_, d, alpha, reynolds);
    Vector inner(order - 1);
    for (std::size_t j = 0; j < inner.size(); ++j) inner[j] = std::pow(1 - nodes_[j + 1] * nodes_[j + 1], 2);
    speed_ = {0.25, 0.003};
    for (int iteration = 0; iteration < 12; ++iteration) {
        // The shift is fixed at first, so that the iteration cannot converge to another wave.
        const Complex shift = iteration < 6 ? Complex(0.25, 0.003) : speed_;
        Matrix<Complex> shifted = pencil.left;
        for (std::size_t i = 0; i < inner.size(); ++i) {
            for (std::size_t j = 0; j < inner.size(); ++j) shifted(i, j) -= shift * pencil.right(i, j);
        }
        Vector next = solve(std::move(shifted), product(pencil.right, inner));
        const auto largest = static_cast<std::size_t>(
            std::ranges::max_element(next, {}, [](const Complex& value) { return std::abs(value); }) - next.begin());
        const Complex scale = next[largest];
        speed_ = shift + inner[largest] / scale;
        for (Complex& value : next) value /= scale;
        inner = std::move(next);
        if (iteration >= 6 && std::abs(speed_ - shift) < 1e-13) break;
    }
    across_.assign(order + 1, 0);
    std::ranges::copy(inner, across_.begin() + 1);
    // Continuity: i alpha u + v' = 0.
    along_ = product(d, across_);
    double greatest = 0;
    for (Complex& value : along_) {
        value *= Complex(0, 1 / alpha);
        greatest = std::max(greatest, std::abs(value));
    }
    for (Vector* values : {&along_, &across_}) {
        for (Complex& value : *values) value /= greatest;
    }
}

Complex OrrSommerfeld::along(double y) const { return interpolate(nodes_, along_, y); }
Complex OrrSommerfeld::across(double y) const { return interpolate(nodes_, across_, y); }

}  // namespace waywiser::tbl
