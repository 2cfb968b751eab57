/// The exact solution of the continuous problem, and the largest deviation of a correct discrete solution from it.
#pragma once

#include "workloads/minife/mesh.hpp"

#include <vector>

namespace waywiser::minife {

/// u(x, y, z) with -Laplace u = 1 in the unit cube, u = 1 on x = 1, u = 0 on the other five faces.
/// The absolute error is below 1e-13 at points that are at least 1/8 inside the cube.
[[nodiscard]] double exact_solution(double x, double y, double z);

/// Nodes with all coordinates in [1/4, 3/4], thinned to at most 9 per axis; they include the centre if the number of
/// elements is even. Empty if an axis has one element.
[[nodiscard]] std::vector<Index3> nodes_to_compare(const Mesh& mesh);

/// Bound on |u_h - u| over the nodes of `nodes_to_compare`.
[[nodiscard]] double discretisation_error_bound(const Mesh& mesh);

}  // namespace waywiser::minife
