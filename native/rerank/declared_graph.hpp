/// The graph that a program declares with a topology, as the MPI library gives it back, and the order that suits it.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "profile/preload/library.hpp"

namespace waywiser::rerank {

using profile::Handle;

enum class Kind : std::uint8_t { grid, graph, distributed_graph };

struct Edge {
    int from = 0;
    int to = 0;
    int weight = 1;
};

/// A rank's neighbours in a distributed graph, in the order in which it declared them.
struct Adjacency {
    std::vector<int> sources;
    std::vector<int> source_weights;
    std::vector<int> destinations;
    std::vector<int> destination_weights;
    bool weighted = false;
};

/// \param communicator  with a distributed graph
[[nodiscard]] Adjacency adjacency_of(Handle communicator);

/// The edges that leave this rank; none for MPI_COMM_NULL.
[[nodiscard]] std::vector<Edge> own_edges(Kind kind, Handle communicator);

/// The longest name of a host, with its end.
using HostName = std::array<char, 256>;

struct BestOrder {
    std::vector<int> old_rank;  ///< by new rank; ranks outside the graph come last
    double before = 0;          ///< weights times hops, of the old order
    double after = 0;
};

/// \param places  file of the machine
/// \param hosts   of each rank
/// \param ranks   of the graph, not more than there are hosts
/// \throws base Error  the machine cannot be read or lacks a host
[[nodiscard]] BestOrder best_order(const std::string& places, const std::vector<HostName>& hosts, std::uint32_t ranks,
                                   const std::vector<Edge>& edges);

}  // namespace waywiser::rerank
