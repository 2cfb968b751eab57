/// A centroidal Voronoi mesh of the unit sphere.
#pragma once

#include "workloads/shallow/topology.hpp"
#include "workloads/shallow/vector3.hpp"

#include <string>
#include <vector>

namespace waywiser::shallow {

/// Centres of cells: the icosahedron is bisected `grid` times, and Lloyd's iterations move the centres to the centroids
/// of their Voronoi cells. From grid 6 on, each grid starts from the relaxed next coarser grid.
///
/// Source: Q. Du, M. Gunzburger, L. Ju, "Constrained centroidal Voronoi tessellations for surfaces", SIAM Journal on
/// Scientific Computing 24(5), 2003, pp. 1488-1506, doi:10.1137/S1064827501391576.
[[nodiscard]] std::vector<Vector3> make_centres(Index grid);

/// Centres from the user's cache; missing centres are computed and cached.
/// \throws InvalidInput  if the cached file is damaged or of another version
[[nodiscard]] std::vector<Vector3> cached_centres(Index grid);

/// Lengths of great-circle arcs and areas of spherical polygons of the mesh.
class Mesh {
public:
    /// \throws InvalidInput  if a kite has no positive area
    Mesh(const Topology& topology, std::vector<Vector3> centres);

    [[nodiscard]] const Topology& topology() const { return topology_; }
    [[nodiscard]] const std::vector<Vector3>& centres() const { return centres_; }
    [[nodiscard]] const Vector3& centre(Number cell) const { return centres_[static_cast<std::size_t>(cell)]; }
    [[nodiscard]] Vector3 corner(Number vertex) const;
    /// Distance between the centres of an edge's cells.
    [[nodiscard]] double distance(Number edge) const;
    /// Length of an edge, between its vertices.
    [[nodiscard]] double length(Number edge) const;
    /// Area of a cell's kite at its vertex k. Its corners are the centre, the vertex, and the midpoints of the arcs to
    /// both neighbours.
    [[nodiscard]] double kite(Number cell, std::size_t k) const;
    [[nodiscard]] double kite_at(Number cell, Number vertex) const;
    [[nodiscard]] double cell_area(Number cell) const;
    [[nodiscard]] double vertex_area(Number vertex) const;

private:
    const Topology& topology_;
    std::vector<Vector3> centres_;
};

}  // namespace waywiser::shallow
