#include "workloads/rupture/geometry.hpp"

#include <cmath>

namespace waywiser::rupture {

Point operator-(const Point& a, const Point& b) { return {a[0] - b[0], a[1] - b[1], a[2] - b[2]}; }
double dot(const Point& a, const Point& b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }
Point cross(const Point& a, const Point& b) {
    return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}

double determinant(const std::array<Point, 4>& v) { return dot(v[1] - v[0], cross(v[2] - v[0], v[3] - v[0])); }

double insphere_radius(const std::array<Point, 4>& v) {
    double doubled_area = 0;
    for (int face = 0; face < 4; ++face) {
        const Point n = doubled_normal(v, face);
        doubled_area += std::sqrt(dot(n, n));
    }
    return determinant(v) / doubled_area;
}

Point doubled_normal(const std::array<Point, 4>& v, int face) {
    const auto& corner = face_vertices[static_cast<std::size_t>(face)];
    const auto at = [&](std::size_t j) { return v[static_cast<std::size_t>(corner[j])]; };
    return cross(at(1) - at(0), at(2) - at(0));
}

std::array<Point, 3> corners(const MeshPart& mesh, const GhostFace& face) {
    const auto& vertices = mesh.vertices[static_cast<std::size_t>(face.cell)];
    const auto& corner = face_vertices[static_cast<std::size_t>(face.face)];
    const auto at = [&](std::size_t j) { return vertices[static_cast<std::size_t>(corner[j])]; };
    return {at(0), at(1), at(2)};
}

Point barycentre(const std::array<Point, 4>& v) {
    Point sum{};
    for (const Point& corner : v) {
        for (std::size_t d = 0; d < 3; ++d) sum[d] += corner[d] / 4;
    }
    return sum;
}

Point to_cell(const std::array<Point, 4>& v, const Point& xi) {
    Point at = v[0];
    for (std::size_t c = 0; c < 3; ++c) {
        for (std::size_t d = 0; d < 3; ++d) at[d] += xi[c] * (v[c + 1][d] - v[0][d]);
    }
    return at;
}

}  // namespace waywiser::rupture
