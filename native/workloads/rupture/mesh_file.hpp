/// A mesh of tetrahedra cut into parts, one per rank: in memory, and in the file that `waywiser mesh import` writes.
///
/// The file (".wwmesh") is little-endian and without gaps. Variable sizes follow from the preceding counts.
///
/// | header | 8 x int64         | magic (the 8 bytes "WWMESH\0\0"), version 1, parts, cells of all parts, clusters, |
/// |        |                   | 3 x 0                                                                             |
/// | index  | parts x 4 x int64 | where the part's block begins [byte], its cells, neighbours, ghosts               |
///
/// A block for each part follows, which begins at a multiple of 8 bytes:
///
/// | vertices   | cells x 4 x 3 x float64 | coordinates [m], positively oriented:                                    |
/// |            |                         | det(v1 - v0, v2 - v0, v3 - v0) > 0                                       |
/// | ids        | cells x int64           | number of the cell in the whole mesh                                     |
/// | groups     | cells x int32           | material group of the mesh                                               |
/// | clusters   | cells x int32           | of local time stepping, rate 2; 0 has the shortest step                  |
/// | faces      | cells x 4 x 4 x int32   | tag, neighbour, neighbour's face, rotation                               |
/// | neighbours | neighbours x 2 x int32  | part, ghosts shared with it; parts ascend                                |
/// | ghosts     | ghosts x 2 x int32      | cell and face (0 to 3) of this part, beyond which another part's cell is |
///
/// The faces of a tetrahedron have, in this order, its vertices (0 2 1), (0 1 3), (1 2 3), (0 3 2), as in PUML. Seen
/// from outside they turn counter-clockwise. A face has
///  - tag: 0 inside, 1 free surface, 3 dynamic rupture, 5 absorbing;
///  - neighbour: the cell in this part; or cells + k, where k counts this part's ghosts; or -1 where there is no
///    neighbour (tags 1 and 5). Face and rotation are then 0;
///  - rotation h: which vertex of the neighbour's face, 0 to 2, is this face's first. The neighbour's face turns the
///    other way: this face's vertex j is the neighbour's (h - j) mod 3. Seen from the other side h is the same.
///
/// Ghosts: for each neighbouring part in the order of `neighbours`, all faces shared with it, ordered by (lower id of
/// the two cells, that cell's face). Both parts agree on this order: entry k that one part sends is entry k of the
/// other part. Both cells of a face with tag 3 are in the same part.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace waywiser::rupture {

using Point = std::array<double, 3>;

/// Local vertices of local faces.
inline constexpr std::array<std::array<int, 3>, 4> face_vertices{{{0, 2, 1}, {0, 1, 3}, {1, 2, 3}, {0, 3, 2}}};

enum FaceTag : std::int32_t { inside = 0, free_surface = 1, dynamic_rupture = 3, absorbing = 5 };

struct MeshFace {
    std::int32_t tag;
    std::int32_t neighbour;
    std::int32_t neighbour_face;
    std::int32_t rotation;
};

struct NeighbourPart {
    std::int32_t part;
    std::int32_t ghosts;
};

struct GhostFace {
    std::int32_t cell;
    std::int32_t face;
};

/// One rank's share, as laid out in the file.
struct MeshPart {
    std::vector<std::array<Point, 4>> vertices;
    std::vector<std::int64_t> ids;
    std::vector<std::int32_t> groups;
    std::vector<std::int32_t> clusters;
    std::vector<std::array<MeshFace, 4>> faces;
    std::vector<NeighbourPart> neighbours;
    std::vector<GhostFace> ghosts;

    [[nodiscard]] std::int32_t cells() const { return static_cast<std::int32_t>(vertices.size()); }
};

/// \throws InvalidInput  with the name of the file, if it is not a mesh file, is truncated, or is not cut into `parts`.
///                       Also thrown if a cell has no volume, or a face does not meet its neighbour's face
[[nodiscard]] MeshPart read_mesh_part(const std::string& path, int part, int parts);

}  // namespace waywiser::rupture
