/// A rank's share of the mesh, and the data of other ranks that one stage requires.
#pragma once

#include "workloads/shallow/partition.hpp"

#include <map>
#include <span>
#include <vector>

namespace waywiser::shallow {

/// Cells and edges that one rank sends to another, in ascending order of their global numbers.
struct Packet {
    std::vector<Number> cells, edges;

    [[nodiscard]] Index values() const { return static_cast<Index>(cells.size() + edges.size()); }
};

/// Own cells and edges, and the halo: two layers of cells, and the edges of triangles that touch an own cell or a cell
/// of the first layer.
struct Share {
    std::vector<Number> own_cells, own_edges;  ///< edges in the order of their cells
    std::map<int, Packet> received;            ///< by the sending rank
    Index first_layer = 0;
};

/// Computes the shares of ranks, one at a time.
class Shares {
public:
    Shares(const Topology& topology, const Partition& partition, Index ranks);

    [[nodiscard]] Share of(int rank);
    /// The packets that a rank sends, by receiving rank.
    [[nodiscard]] std::map<int, Packet> sent(int rank, const Share& share);

private:
    [[nodiscard]] int owner(Number cell) const { return partition_[static_cast<std::size_t>(cell)]; }
    [[nodiscard]] int owner_of_edge(Number edge) const;
    [[nodiscard]] std::span<const Number> cells(int rank) const;
    [[nodiscard]] std::vector<Number> layer_around(std::span<const Number> inner);
    void add_edges(Number cell, int rank, Share& share);

    /// True for the first call with this number since the last `forget`.
    [[nodiscard]] bool is_new(std::vector<Index>& seen, Number number) const;
    void forget() { ++round_; }

    const Topology& topology_;
    const Partition& partition_;
    std::vector<Number> by_rank_;
    std::vector<Index> first_of_rank_;
    std::vector<Index> seen_cells_, seen_edges_;  ///< round in which each cell or edge was last seen
    Index round_ = 0;
};

}  // namespace waywiser::shallow
