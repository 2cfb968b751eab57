/// Vectors, and tetrahedra by their vertices.
#pragma once

#include "workloads/rupture/mesh_file.hpp"

namespace waywiser::rupture {

[[nodiscard]] Point operator-(const Point& a, const Point& b);
[[nodiscard]] double dot(const Point& a, const Point& b);
[[nodiscard]] Point cross(const Point& a, const Point& b);

/// Determinant of the Jacobian, |J| = 6 V [m^3].
[[nodiscard]] double determinant(const std::array<Point, 4>& vertices);
[[nodiscard]] double insphere_radius(const std::array<Point, 4>& vertices);
/// Twice the area times the outward unit normal.
[[nodiscard]] Point doubled_normal(const std::array<Point, 4>& vertices, int face);
[[nodiscard]] std::array<Point, 3> corners(const MeshPart& mesh, const GhostFace& face);
[[nodiscard]] Point barycentre(const std::array<Point, 4>& vertices);
/// Maps a point of the reference tetrahedron to the cell.
[[nodiscard]] Point to_cell(const std::array<Point, 4>& vertices, const Point& xi);

}  // namespace waywiser::rupture
