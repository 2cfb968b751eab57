#include "workloads/minife/analytic.hpp"

#include <cmath>
#include <numbers>

namespace waywiser::minife {
namespace {

using std::numbers::pi;

constexpr double negligible = 42;  // The value of exp(-42) is 6e-19.

/// sinh(k t) / sinh(k), for k t beyond the range of sinh too.
double sinh_ratio(double k, double t) { return std::exp(-k * (1 - t)) * std::expm1(-2 * k * t) / std::expm1(-2 * k); }

/// cosh(k (t - 1/2)) / cosh(k / 2), for k beyond the range of cosh too.
double cosh_ratio(double k, double t) { return (std::exp(-k * t) + std::exp(-k * (1 - t))) / (1 + std::exp(-k)); }

}  // namespace

// Two parts, by separation of variables over odd m and n, with k = pi sqrt(m^2 + n^2):
//
// Laplace (u = 1 on x = 1, no source):
//
//   sum 16/(pi^2 m n) sin(m pi y) sin(n pi z) sinh(k x)/sinh(k).
//
// Poisson (source 1, u = 0 all around): x (1-x)/2 has the source and vanishes on the x-faces. Harmonic functions remove
// its values on the other four faces. They follow from x (1-x)/2 = sum 4/(pi m)^3 sin(m pi x) and 1 = sum 4/(pi n)
// sin(n pi z):
//
//   x (1-x)/2 - sum 16/(pi^4 m^3 n) sin(m pi x) [sin(n pi z) C(y) + sin(n pi y) C(z)],
//   C(t) = cosh(k (t-1/2)) / cosh(k/2).
//
// All terms fall like exp(-k d) with the distance d from x = 1 or from the y- and z-faces. In contrast, the terms of
// the triple sine series fall algebraically (Carslaw and Jaeger, "Conduction of Heat in Solids", 1959, chapter 6).
double exact_solution(double x, double y, double z) {
    const double distance = std::min({1 - x, y, 1 - y, z, 1 - z});
    double u = x * (1 - x) / 2;
    for (int m = 1; pi * m * distance < negligible; m += 2) {
        for (int n = 1; pi * std::hypot(m, n) * distance < negligible; n += 2) {
            const double k = pi * std::hypot(m, n);
            const double laplace = std::sin(m * pi * y) * std::sin(n * pi * z) * sinh_ratio(k, x);
            const double poisson = std::sin(m * pi * x) *
                                   (std::sin(n * pi * z) * cosh_ratio(k, y) + std::sin(n * pi * y) * cosh_ratio(k, z));
            u += 16 / (pi * pi * m * n) * (laplace - poisson / (pi * pi * m * m));
        }
    }
    return u;
}

std::vector<Index3> nodes_to_compare(const Mesh& mesh) {
    std::array<std::vector<Index>, 3> picks;
    for (std::size_t axis = 0; axis < 3; ++axis) {
        const Index n = mesh.elements[axis];
        const Index low = (n + 3) / 4;
        const Index high = n - low;
        const Index count = std::min<Index>(9, high - low + 1);
        const Index gaps = std::max<Index>(1, count - 1);
        for (Index i = 0; i < count; ++i) picks[axis].push_back(low + i * (high - low) / gaps);
    }
    std::vector<Index3> nodes;
    for (const Index z : picks[2]) {
        for (const Index y : picks[1]) {
            for (const Index x : picks[0]) nodes.push_back({x, y, z});
        }
    }
    return nodes;
}

// The error is of second order, a sum of one term per axis. The constants of these terms are found from exact discrete
// solutions (tests/verification/minife_oracle.py, 64 elements against 32 on one axis). They are largest near x = 3/4:
// 0.40 for x, 0.54 for y and z. Meshes as coarse as 2 elements exceed their sum by 12 % at most. So the constants here
// leave 10 %. The region stops at 3/4 because the data jump from 1 to 0 along the four edges of the face x = 1: no mesh
// converges there. Away from these edges the jump costs h^2 only. The data at a node on an edge, half an element's
// width, act on the inside with a weight that itself vanishes at the edge.
double discretisation_error_bound(const Mesh& mesh) {
    constexpr std::array<double, 3> constant{0.5, 0.65, 0.65};
    double bound = 0;
    for (std::size_t axis = 0; axis < 3; ++axis) bound += constant[axis] * mesh.spacing(axis) * mesh.spacing(axis);
    return bound;
}

}  // namespace waywiser::minife
