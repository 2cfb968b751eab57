/// The graph that a program declares with a topology, as returned by the MPI library, and the best order for it.
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

/// \param communicator  communicator with a distributed graph
[[nodiscard]] Adjacency adjacency_of(Handle communicator);

/// The edges that leave this rank; none for MPI_COMM_NULL.
[[nodiscard]] std::vector<Edge> own_edges(Kind kind, Handle communicator);

/// A host name of maximum length, with its terminator.
using HostName = std::array<char, 256>;

struct BestOrder {
    std::vector<int> old_rank;  ///< indexed by new rank; ranks outside the graph come last
    double before = 0;          ///< sum of weights times hops in the old order
    double after = 0;
};

/// \param places  file with the machine's topology
/// \param hosts   host of each rank
/// \param ranks   number of ranks of the graph, at most the number of hosts
/// \throws base Error  the machine cannot be read or lacks a host
[[nodiscard]] BestOrder best_order(const std::string& places, const std::vector<HostName>& hosts, std::uint32_t ranks,
                                   const std::vector<Edge>& edges);

}  // namespace waywiser::rerank
