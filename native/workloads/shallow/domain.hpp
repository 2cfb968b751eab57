/// A rank's part of the mesh in local numbers: first its own cells and edges, then those of its halo.
#pragma once

#include "workloads/shallow/kernels.hpp"
#include "workloads/shallow/share.hpp"

#include <map>

namespace waywiser::shallow {

inline constexpr double earth_radius_m = 6'371'220;
inline constexpr double rotation_per_s = 7.292e-5;
inline constexpr double gravity_m_s2 = 9.80616;

/// Coriolis parameter f and bottom height b at points of the unit sphere.
struct Ground {
    Vector3 axis;  ///< axis of the rotation
    bool mountain;

    [[nodiscard]] double coriolis(const Vector3& at) const;  ///< [1/s]
    [[nodiscard]] double height(const Vector3& at) const;    ///< [m]
};

/// Rows of the rank's fields in a message: cells, then edges.
struct Message {
    int rank;
    std::vector<Number> cells, edges;
};

class Domain {
public:
    /// \param block  number of own cells in a block; 0: all cells of a thread
    Domain(const Mesh& mesh, const Share& share, const std::map<int, Packet>& sent, const Ground& ground, Index block);

    [[nodiscard]] Index own_cells() const { return own_cells_; }
    [[nodiscard]] Index own_edges() const { return own_edges_; }
    /// Global numbers of the rank's cells and edges, halo included.
    [[nodiscard]] const std::vector<Number>& cells() const { return cells_; }
    [[nodiscard]] const std::vector<Number>& edges() const { return edges_; }
    [[nodiscard]] const std::vector<Block>& blocks() const { return blocks_; }
    [[nodiscard]] const std::vector<Message>& sent() const { return sent_; }
    [[nodiscard]] const std::vector<Message>& received() const { return received_; }
    [[nodiscard]] const Mesh& mesh() const { return mesh_; }
    [[nodiscard]] const Ground& ground() const { return ground_; }
    /// Local number of a cell; -1 if the rank does not have the cell.
    [[nodiscard]] Number local_cell(Number cell) const { return local_cells_[static_cast<std::size_t>(cell)]; }
    [[nodiscard]] Number local_edge(Number edge) const { return local_edges_[static_cast<std::size_t>(edge)]; }

    [[nodiscard]] VorticityRow vorticity_row(Number vertex) const;
    /// Row of a cell, without scratch rows.
    [[nodiscard]] CellRow cell_row(Number cell) const;

private:
    class BlockMaker;

    const Mesh& mesh_;
    Ground ground_;
    Index own_cells_, own_edges_;
    std::vector<Number> cells_, edges_;
    std::vector<Number> local_cells_, local_edges_;  ///< by global number; -1: not on this rank
    std::vector<Block> blocks_;
    std::vector<Message> sent_, received_;
};

/// Weights with which the fluxes out of a cell across its edges k contribute to the tangential flux at edge `from`. The
/// tangential flux is the sum of the contributions of both cells of the edge.
[[nodiscard]] std::vector<double> tangential_weights(const Mesh& mesh, Number cell, std::size_t from);

/// Edges of a tangential flux and their weights: first the edges of the first cell, then those of the second.
struct Tangent {
    std::vector<Number> edges;
    std::vector<double> weights;  ///< weights of normal fluxes, length times velocity
};
[[nodiscard]] Tangent tangent(const Mesh& mesh, Number edge);

}  // namespace waywiser::shallow
