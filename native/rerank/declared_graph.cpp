#include "rerank/declared_graph.hpp"

#include <string_view>

#include "place/mapper.hpp"
#include "place/places.hpp"

namespace waywiser::rerank {
namespace {

using profile::library;

/// Upper bound of the time of a search.
constexpr double kMostSeconds = 0.5;
constexpr std::uint32_t kManyRanks = 8192;

void add_grid(Handle communicator, int rank, std::vector<Edge>& edges) {
    int dimensions = 0;
    library.cartdim_get(communicator, &dimensions);
    for (int d = 0; d < dimensions; ++d) {
        int below = library.constants.proc_null;
        int above = below;
        library.cart_shift(communicator, d, 1, &below, &above);
        for (const int neighbour : {below, above}) {
            if (neighbour != library.constants.proc_null) edges.push_back({.from = rank, .to = neighbour});
        }
    }
}

void add_graph(Handle communicator, int rank, std::vector<Edge>& edges) {
    int count = 0;
    library.graph_neighbors_count(communicator, rank, &count);
    std::vector<int> neighbours(static_cast<std::size_t>(count));
    library.graph_neighbors(communicator, rank, count, neighbours.data());
    for (const int neighbour : neighbours) edges.push_back({.from = rank, .to = neighbour});
}

}  // namespace

Adjacency adjacency_of(Handle communicator) {
    int in = 0;
    int out = 0;
    int weighted = 0;
    library.dist_graph_neighbors_count(communicator, &in, &out, &weighted);
    Adjacency adjacency{.sources = std::vector<int>(static_cast<std::size_t>(in)),
                        .source_weights = std::vector<int>(static_cast<std::size_t>(in), 1),
                        .destinations = std::vector<int>(static_cast<std::size_t>(out)),
                        .destination_weights = std::vector<int>(static_cast<std::size_t>(out), 1),
                        .weighted = weighted != 0};
    // The standard does not specify the weights of an unweighted graph.
    std::vector<int> ignored(static_cast<std::size_t>(in) + static_cast<std::size_t>(out) + 1);
    library.dist_graph_neighbors(communicator, in, adjacency.sources.data(),
                                 adjacency.weighted ? adjacency.source_weights.data() : ignored.data(), out,
                                 adjacency.destinations.data(),
                                 adjacency.weighted ? adjacency.destination_weights.data() : ignored.data() + in);
    return adjacency;
}

std::vector<Edge> own_edges(Kind kind, Handle communicator) {
    std::vector<Edge> edges;
    if (library.key(communicator) == library.constants.comm_null) return edges;
    int rank = 0;
    library.comm_rank(communicator, &rank);
    if (kind == Kind::grid) {
        add_grid(communicator, rank, edges);
    } else if (kind == Kind::graph) {
        add_graph(communicator, rank, edges);
    } else {
        const Adjacency declared = adjacency_of(communicator);
        for (std::size_t i = 0; i < declared.destinations.size(); ++i) {
            edges.push_back({.from = rank, .to = declared.destinations[i], .weight = declared.destination_weights[i]});
        }
    }
    return edges;
}

BestOrder best_order(const std::string& places, const std::vector<HostName>& hosts, std::uint32_t ranks,
                     const std::vector<Edge>& edges) {
    std::vector<std::string_view> named;
    named.reserve(hosts.size());
    for (const HostName& host : hosts) named.emplace_back(host.data());
    const place::Places machine(places);
    std::vector<place::Pattern::Entry> entries;
    entries.reserve(edges.size());
    for (const auto& [from, to, weight] : edges) {
        entries.push_back({.from = static_cast<std::uint32_t>(from),
                           .to = static_cast<std::uint32_t>(to),
                           .bytes = static_cast<std::uint64_t>(weight),
                           .messages = 1});
    }
    place::Options options;
    if (ranks >= kManyRanks) options.seconds = kMostSeconds;
    const place::Placement placed = place::place(place::Pattern(ranks, entries), machine.slots_on(named), options);
    // Hop-bytes contain each pair of ranks once, with the mean of both directions.
    BestOrder best{.old_rank = {placed.order.begin(), placed.order.end()},
                   .before = 2 * placed.default_cost.hop_bytes,
                   .after = 2 * placed.cost.hop_bytes};
    std::vector<bool> taken(hosts.size());
    for (const int old : best.old_rank) taken[static_cast<std::size_t>(old)] = true;
    for (std::size_t old = 0; old < hosts.size(); ++old) {
        if (!taken[old]) best.old_rank.push_back(static_cast<int>(old));
    }
    return best;
}

}  // namespace waywiser::rerank
