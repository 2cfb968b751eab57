/// Polynomials on the reference tetrahedron and the reference triangle, and exact quadrature there.
///
/// Source: M. Dubiner, "Spectral methods on triangles and other domains", Journal of Scientific Computing 6(4), 1991,
/// pp. 345-390, doi:10.1007/BF01060030.
#pragma once

#include "workloads/rupture/mesh_file.hpp"

#include <array>
#include <vector>

namespace waywiser::rupture {

/// Number of functions of a scheme of this order, whose polynomials have degree order - 1.
[[nodiscard]] constexpr int cell_functions(int order) { return order * (order + 1) * (order + 2) / 6; }
[[nodiscard]] constexpr int face_functions(int order) { return order * (order + 1) / 2; }

/// Value and gradient of a function.
struct BasisValue {
    double value;
    Point gradient;
};

/// Orthonormal functions on {x, y, z >= 0, x + y + z <= 1}, in order of degree: the first cell_functions(m) span degree
/// m - 1.
[[nodiscard]] std::vector<BasisValue> cell_basis(int order, const Point& at);

/// Orthonormal functions on {x, y >= 0, x + y <= 1}.
[[nodiscard]] std::vector<double> face_basis(int order, double x, double y);

struct QuadraturePoint {
    Point at;  ///< position in the reference element; z = 0 in the triangle
    double weight;
};

/// Gauss-Legendre points on [0, 1], exact to degree 2 n - 1; `at` lies on the x axis.
[[nodiscard]] std::vector<QuadraturePoint> line_quadrature(int n);
/// n^2 points of the collapsed square, exact to degree 2 n - 2.
[[nodiscard]] std::vector<QuadraturePoint> triangle_quadrature(int n);
/// n^3 points of the collapsed cube, exact to degree 2 n - 3.
[[nodiscard]] std::vector<QuadraturePoint> tetrahedron_quadrature(int n);

/// The point of a face of the reference tetrahedron whose barycentric coordinates for the face's vertices 1 and 2 are x
/// and y.
[[nodiscard]] Point on_face(int face, double x, double y);

}  // namespace waywiser::rupture
