#include "profile/messages/topology.hpp"

#include <algorithm>

#include "profile/calls/recorder.hpp"

namespace waywiser::profile {
namespace {

int own_rank(Handle comm) {
    int rank = 0;
    library.comm_rank(comm, &rank);
    return rank;
}

Neighbours grid_neighbours(Handle comm) {
    constexpr int kMostDimensions = 32;  // Each dimension takes two bits.
    int dimensions = 0;
    if (library.cartdim_get(comm, &dimensions) != 0) return {};
    Neighbours grid{.in = 2 * dimensions, .out = 2 * dimensions};
    int sizes[kMostDimensions];
    int periods[kMostDimensions];
    int place[kMostDimensions];
    if (dimensions > kMostDimensions || library.cart_get(comm, dimensions, sizes, periods, place) != 0) return grid;
    for (int i = 0; i < dimensions; ++i) {
        if (periods[i] != 0) continue;
        if (place[i] == 0) grid.beyond |= std::uint64_t{1} << static_cast<unsigned>(2 * i);
        if (place[i] == sizes[i] - 1) grid.beyond |= std::uint64_t{2} << static_cast<unsigned>(2 * i);
    }
    return grid;
}

/// Queries a distributed graph. The library also needs room for data that the profiler does not use: both arrays of
/// weights, and sometimes the sources.
/// \param in  null if the sources are not needed
bool ask_dist_graph(Handle comm, const Neighbours& around, int* in, int* out) {
    if (library.dist_graph_neighbors == nullptr) return false;
    int* sources = scratch(1, 2 * static_cast<std::size_t>(around.in) + static_cast<std::size_t>(around.out) + 1);
    if (sources == nullptr) return false;
    int* source_weights = sources + around.in;
    int* weights = source_weights + around.in;
    const int result = library.dist_graph_neighbors(comm, around.in, sources, source_weights, around.out, out, weights);
    if (in != nullptr) std::copy_n(sources, around.in, in);
    return result == 0;
}

bool ask_ranks(Handle comm, const Neighbours& around, int* in, int* out) {
    int topology = 0;
    if (library.topo_test(comm, &topology) != 0) return false;
    const bool graph = topology == library.constants.topology_graph;
    if (!graph && topology != library.constants.topology_cart) return ask_dist_graph(comm, around, in, out);
    if (graph &&
        (library.graph_neighbors == nullptr || library.graph_neighbors(comm, own_rank(comm), around.out, out) != 0)) {
        return false;
    }
    for (int i = 0; !graph && i < around.out / 2; ++i) {
        if (library.cart_shift(comm, i, 1, &out[2 * i], &out[2 * i + 1]) != 0) return false;
    }
    if (in != nullptr) std::copy_n(out, around.out, in);
    return true;
}

}  // namespace

Neighbours neighbours(Handle comm) {
    int topology = 0;
    Neighbours d;
    if (library.topo_test(comm, &topology) != 0) return d;
    if (topology == library.constants.topology_cart) {
        d = grid_neighbours(comm);
    } else if (topology == library.constants.topology_graph) {
        int n = 0;
        if (library.graph_neighbors_count != nullptr && library.graph_neighbors_count(comm, own_rank(comm), &n) == 0) {
            d = {.in = n, .out = n};
        }
    } else if (library.dist_graph_neighbors_count != nullptr) {
        int weighted = 0;
        library.dist_graph_neighbors_count(comm, &d.in, &d.out, &weighted);
    }
    return d;
}

int out_neighbours(Handle comm, int room, int* ranks) {
    const Neighbours around = neighbours(comm);
    // A rank without neighbours has no array, and a library may report the null pointer as an error.
    if (around.out > 0 && around.out <= room && !ask_ranks(comm, around, nullptr, ranks)) return 0;
    return around.out;
}

bool all_neighbours(Handle comm, const Neighbours& around, int* ranks) {
    return around.in + around.out > 0 && ask_ranks(comm, around, ranks, ranks + around.in);
}

}  // namespace waywiser::profile
