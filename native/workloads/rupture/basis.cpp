#include "workloads/rupture/basis.hpp"

#include <cmath>
#include <numbers>

namespace waywiser::rupture {
namespace {

/// A value and its gradient, propagated by the rules of differentiation.
struct Dual {
    double value;
    Point gradient{};
};

Dual operator+(const Dual& a, const Dual& b) {
    Dual sum{.value = a.value + b.value};
    for (std::size_t i = 0; i < 3; ++i) sum.gradient[i] = a.gradient[i] + b.gradient[i];
    return sum;
}

Dual operator*(const Dual& a, const Dual& b) {
    Dual product{.value = a.value * b.value};
    for (std::size_t i = 0; i < 3; ++i) product.gradient[i] = a.gradient[i] * b.value + a.value * b.gradient[i];
    return product;
}

Dual operator*(double a, const Dual& b) { return Dual{.value = a} * b; }

/// t^n P_n(x / t), where P_n is Jacobi's polynomial for (alpha, 0): evaluated without the poles of collapsed
/// coordinates.
Dual jacobi(int n, double alpha, const Dual& x, const Dual& t) {
    Dual before{.value = 1};
    if (n == 0) return before;
    Dual last = 0.5 * ((alpha + 2) * x + alpha * t);
    for (int m = 1; m < n; ++m) {
        const double two = 2 * m + alpha;
        const double scale = 1 / (2 * (m + 1) * (m + alpha + 1) * two);
        const Dual next = scale * ((two + 1) * ((two + 2) * two * x + alpha * alpha * t) * last +
                                   -2 * (m + alpha) * m * (two + 2) * t * t * before);
        before = last;
        last = next;
    }
    return last;
}

Dual proriol(int p, int q, int r, const Point& at) {
    const Dual x{.value = at[0], .gradient = {1, 0, 0}};
    const Dual y{.value = at[1], .gradient = {0, 1, 0}};
    const Dual z{.value = at[2], .gradient = {0, 0, 1}};
    const Dual one{.value = 1};
    const Dual above_y = one + -1 * z;
    const Dual above_x = above_y + -1 * y;
    return jacobi(p, 0, 2 * x + -1 * above_x, above_x) * jacobi(q, 2 * p + 1, 2 * y + -1 * above_y, above_y) *
           jacobi(r, 2 * p + 2 * q + 2, 2 * z + -1 * one, one);
}

}  // namespace

std::vector<BasisValue> cell_basis(int order, const Point& at) {
    std::vector<BasisValue> all;
    for (int degree = 0; degree < order; ++degree) {
        for (int r = 0; r <= degree; ++r) {
            for (int q = 0; q <= degree - r; ++q) {
                const int p = degree - r - q;
                const double norm = std::sqrt((2.0 * p + 1) * 2 * (p + q + 1) * (2 * degree + 3));
                const Dual value = norm * proriol(p, q, r, at);
                all.push_back({value.value, value.gradient});
            }
        }
    }
    return all;
}

std::vector<double> face_basis(int order, double x, double y) {
    std::vector<double> all;
    for (int degree = 0; degree < order; ++degree) {
        for (int q = 0; q <= degree; ++q) {
            const int p = degree - q;
            const double norm = std::sqrt((2.0 * p + 1) * 2 * (degree + 1));
            all.push_back(norm * proriol(p, q, 0, {x, y, 0}).value);
        }
    }
    return all;
}

std::vector<QuadraturePoint> line_quadrature(int n) {
    std::vector<QuadraturePoint> points;
    for (int i = 0; i < n; ++i) {
        double x = -std::cos(std::numbers::pi * (i + 0.75) / (n + 0.5));
        double slope = 0;
        for (int newton = 0; newton < 20; ++newton) {
            const Dual p = jacobi(n, 0, {.value = x, .gradient = {1, 0, 0}}, {.value = 1});
            slope = p.gradient[0];
            x -= p.value / slope;
        }
        points.push_back({{(1 + x) / 2, 0, 0}, 1 / ((1 - x * x) * slope * slope)});
    }
    return points;
}

std::vector<QuadraturePoint> triangle_quadrature(int n) {
    const std::vector<QuadraturePoint> line = line_quadrature(n);
    std::vector<QuadraturePoint> points;
    for (const QuadraturePoint& b : line) {
        for (const QuadraturePoint& a : line) {
            const double left = 1 - b.at[0];
            points.push_back({{a.at[0] * left, b.at[0], 0}, a.weight * b.weight * left});
        }
    }
    return points;
}

std::vector<QuadraturePoint> tetrahedron_quadrature(int n) {
    std::vector<QuadraturePoint> points;
    for (const QuadraturePoint& c : line_quadrature(n)) {
        for (const QuadraturePoint& base : triangle_quadrature(n)) {
            const double left = 1 - c.at[0];
            points.push_back({{base.at[0] * left, base.at[1] * left, c.at[0]}, base.weight * c.weight * left * left});
        }
    }
    return points;
}

Point on_face(int face, double x, double y) {
    constexpr std::array<Point, 4> corners{{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
    const auto& vertices = face_vertices[static_cast<std::size_t>(face)];
    Point at{};
    for (std::size_t d = 0; d < 3; ++d) {
        const auto corner = [&](std::size_t j) { return corners[static_cast<std::size_t>(vertices[j])][d]; };
        at[d] = (1 - x - y) * corner(0) + x * corner(1) + y * corner(2);
    }
    return at;
}

}  // namespace waywiser::rupture
