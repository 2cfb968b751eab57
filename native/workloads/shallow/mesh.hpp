/// A centroidal Voronoi mesh of the unit sphere.
#pragma once

#include "workloads/shallow/topology.hpp"
#include "workloads/shallow/vector3.hpp"

#include <string>
#include <vector>

namespace waywiser::shallow {

/// Centres of cells: the icosahedron bisected `grid` times, moved to the centroids of their Voronoi cells by Lloyd's
/// iterations. From the sixth bisection on, each starts from the relaxed mesh before it.
///
/// Source: Q. Du, M. Gunzburger, L. Ju, "Constrained centroidal Voronoi tessellations for surfaces", SIAM Journal on
/// Scientific Computing 24(5), 2003, pp. 1488-1506, doi:10.1137/S1064827501391576.
[[nodiscard]] std::vector<Vector3> make_centres(Index grid);

/// Centres from the user's cache, or made and kept there.
/// \throws InvalidInput  if a file of the cache is of another version, or damaged
[[nodiscard]] std::vector<Vector3> cached_centres(Index grid);

/// Lengths and areas, all of arcs and of spherical triangles.
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
    /// Area of a cell's kite at its vertex k, between the middles of two arcs to neighbours, the centre and the vertex.
    [[nodiscard]] double kite(Number cell, std::size_t k) const;
    [[nodiscard]] double kite_at(Number cell, Number vertex) const;
    [[nodiscard]] double cell_area(Number cell) const;
    [[nodiscard]] double vertex_area(Number vertex) const;

private:
    const Topology& topology_;
    std::vector<Vector3> centres_;
};

}  // namespace waywiser::shallow
