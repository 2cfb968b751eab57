/// Adjacency of the cells, edges and vertices of an icosahedral mesh, by index arithmetic on ten rhombi.
///
/// Each rhombus has n x n cells, n = 2^grid; the two poles are separate cells. Five rhombi touch the north pole, five
/// the south pole. Cells are numbered from the north pole through the rhombi, each in Morton order, to the south pole.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace waywiser::shallow {

using Index = std::int64_t;
using Number = std::int32_t;  ///< number of a cell, an edge or a vertex

[[nodiscard]] inline std::size_t at(Number number) { return static_cast<std::size_t>(number); }

inline constexpr int rhombi = 10;
inline constexpr std::size_t most_sides = 6;

[[nodiscard]] constexpr Index cells_of(Index grid) { return rhombi * (Index{1} << (2 * grid)) + 2; }

/// The position of a cell: rows lead away from the pole or vertex at which a rhombus starts.
struct Seat {
    int rhombus;  ///< -1: the north pole, 10: the south pole
    Index row, column;
};

[[nodiscard]] Seat seat_of(Index grid, Number cell);
/// The cell in row i and column j of a rhombus with its borders, 0 <= i, j <= n.
[[nodiscard]] Number cell_at(Index grid, int rhombus, Index i, Index j);

/// Vertices of Voronoi cells correspond to triangles of centres; edges lie between two cells.
class Topology {
public:
    struct Cell {
        int sides = 0;
        /// The order is counter-clockwise. Edge k leads to neighbour k, and vertex k lies between neighbours k and k +
        /// 1.
        std::array<Number, most_sides> neighbours, edges, vertices;
    };
    struct Edge {
        std::array<Number, 2>
            cells;  ///< the normal points from the first cell, which has the lower number, to the second
        std::array<Number, 2> vertices;  ///< vertices to the right and to the left of the normal
    };
    struct Vertex {
        std::array<Number, 3> cells;  ///< counter-clockwise
        std::array<Number, 3> edges;  ///< edge k lies between cells k and k + 1
    };

    explicit Topology(Index grid);

    [[nodiscard]] Index grid() const { return grid_; }
    [[nodiscard]] Number cells() const { return static_cast<Number>(cells_.size()); }
    [[nodiscard]] Number edges() const { return static_cast<Number>(edges_.size()); }
    [[nodiscard]] Number vertices() const { return static_cast<Number>(vertices_.size()); }
    [[nodiscard]] const Cell& cell(Number i) const { return cells_[static_cast<std::size_t>(i)]; }
    [[nodiscard]] const Edge& edge(Number i) const { return edges_[static_cast<std::size_t>(i)]; }
    [[nodiscard]] const Vertex& vertex(Number i) const { return vertices_[static_cast<std::size_t>(i)]; }

private:
    void make_vertices();
    void walk_around_cells();
    void make_edges();

    Index grid_;
    std::vector<Cell> cells_;
    std::vector<Edge> edges_;
    std::vector<Vertex> vertices_;
};

/// 1 if the edge's normal points out of the cell, otherwise -1.
[[nodiscard]] inline double outward(const Topology::Edge& edge, Number cell) { return edge.cells[0] == cell ? 1 : -1; }

}  // namespace waywiser::shallow
