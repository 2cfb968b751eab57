#include "place/graph.hpp"

#include <algorithm>
#include <numeric>

#include "place/random.hpp"

namespace waywiser::place {
namespace {

double weight(const Partner& partner, const Options& options) {
    const auto bytes = static_cast<double>(partner.bytes);
    if (options.objective != Objective::time) return 0.5 * bytes;
    return bytes * options.model.seconds_per_byte +
           static_cast<double>(partner.messages) * options.model.seconds_per_hop;
}

std::vector<std::uint32_t> visiting_order(const Graph& graph, std::uint64_t seed) {
    std::vector<std::uint32_t> order(graph.count());
    std::iota(order.begin(), order.end(), 0U);
    Random random(seed);
    for (std::uint32_t i = graph.count(); i > 1; --i) std::swap(order[i - 1], order[random.below(i)]);
    return order;
}

}  // namespace

Graph graph_of(const Pattern& pattern, const Options& options) {
    Graph graph;
    graph.size.assign(pattern.ranks(), 1);
    graph.first.assign(std::size_t{pattern.ranks()} + 1, 0);
    for (std::uint32_t rank = 0; rank < pattern.ranks(); ++rank) {
        graph.first[rank + 1] = graph.first[rank] + pattern.partners(rank).size();
    }
    graph.edges.resize(graph.first.back());
    std::vector<std::uint64_t> next(graph.first.begin(), graph.first.end() - 1);
    // Partners are sorted, so that a rank's senders, visited in order, meet its own partners in the same order.
    for (std::uint32_t rank = 0; rank < pattern.ranks(); ++rank) {
        for (std::size_t i = 0; const Partner& partner : pattern.partners(rank)) {
            const auto sent = static_cast<float>(weight(partner, options));
            graph.edges[graph.first[rank] + i].to = partner.rank;
            graph.edges[graph.first[rank] + i++].weight += sent;
            graph.edges[next[partner.rank]++].weight += sent;
        }
    }
    return graph;
}

Graph coarsen(const Graph& fine, std::uint32_t largest, std::uint64_t seed, std::vector<std::uint32_t>& coarse_of) {
    std::vector<std::uint32_t> mate(fine.count(), kNone);
    for (const std::uint32_t vertex : visiting_order(fine, seed)) {
        if (mate[vertex] != kNone) continue;
        std::uint32_t best = vertex;
        double best_weight = 0;
        for (const auto& [to, edge_weight] : fine.of(vertex)) {
            if (mate[to] != kNone || fine.size[vertex] + fine.size[to] > largest) continue;
            // Between equal edges, small vertices win, so that the sizes of coarse vertices stay even.
            const double value = static_cast<double>(edge_weight) / fine.size[to];
            if (value > best_weight) {
                best = to;
                best_weight = value;
            }
        }
        mate[vertex] = best;
        mate[best] = vertex;
    }

    Graph coarse;
    coarse_of.assign(fine.count(), kNone);
    std::vector<std::uint32_t> leaders;
    for (std::uint32_t vertex = 0; vertex < fine.count(); ++vertex) {
        if (coarse_of[vertex] != kNone) continue;
        coarse_of[vertex] = coarse_of[mate[vertex]] = static_cast<std::uint32_t>(leaders.size());
        leaders.push_back(vertex);
    }
    coarse.edges.reserve(fine.edges.size());
    coarse.first.reserve(leaders.size() + 1);
    // place of the edge to each vertex, plus 1; at most `begin`: none so far
    std::vector<std::uint64_t> place(leaders.size());
    for (std::uint32_t vertex = 0; vertex < leaders.size(); ++vertex) {
        const std::uint64_t begin = coarse.edges.size();
        std::uint32_t size = 0;
        for (std::uint32_t part = leaders[vertex];; part = mate[part]) {
            size += fine.size[part];
            for (const auto& [to, edge_weight] : fine.of(part)) {
                const std::uint32_t neighbour = coarse_of[to];
                if (neighbour == vertex) continue;
                if (place[neighbour] <= begin) {
                    coarse.edges.push_back({.to = neighbour, .weight = 0});
                    place[neighbour] = coarse.edges.size();
                }
                coarse.edges[place[neighbour] - 1].weight += edge_weight;
            }
            if (mate[part] == leaders[vertex]) break;
        }
        coarse.first.push_back(coarse.edges.size());
        coarse.size.push_back(size);
    }
    return coarse;
}

}  // namespace waywiser::place
