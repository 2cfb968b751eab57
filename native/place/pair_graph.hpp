/// Pairs of ranks and the data that they exchange.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "place/pattern.hpp"

namespace waywiser::place {

/// An undirected graph of ranks. Neighbours are sorted.
struct PairGraph {
    std::vector<std::uint64_t> first{0};   ///< first neighbour of each rank, and the end
    std::vector<std::uint32_t> neighbour;  ///< neighbours of one rank after another
    std::vector<double> bytes;             ///< bytes for each `neighbour`, in both directions together

    [[nodiscard]] std::uint32_t ranks() const noexcept { return static_cast<std::uint32_t>(first.size() - 1); }
    [[nodiscard]] std::span<const std::uint32_t> neighbours(std::uint32_t rank) const noexcept {
        return std::span(neighbour).subspan(first[rank], first[rank + 1] - first[rank]);
    }
};

/// The pairs that exchange data.
[[nodiscard]] PairGraph pair_graph(const Pattern& pattern);

/// The pairs for which `keep(rank, place)` is true; `place` is the neighbour's index in the graph.
template <class Keep>
[[nodiscard]] PairGraph filtered(const PairGraph& graph, Keep keep) {
    PairGraph out;
    out.first.reserve(graph.first.size());
    for (std::uint32_t rank = 0; rank < graph.ranks(); ++rank) {
        for (std::uint64_t place = graph.first[rank]; place < graph.first[rank + 1]; ++place) {
            if (keep(rank, place)) {
                out.neighbour.push_back(graph.neighbour[place]);
                out.bytes.push_back(graph.bytes[place]);
            }
        }
        out.first.push_back(out.neighbour.size());
    }
    return out;
}

/// Pairs of similar weight.
struct Band {
    double least = 0;  ///< bytes of the lightest pair
    double below = 0;
    std::uint64_t pairs = 0;
    double bytes = 0;  ///< bytes of all pairs
};

/// The weights of pairs form separate clusters. Returns the runs of clusters, most bytes first: all pairs, then pairs
/// that may be neighbours along a grid's dimensions among other pairs.
[[nodiscard]] std::vector<Band> weight_bands(const PairGraph& graph);

/// The pairs along the dimensions of a grid whose ranks also communicate with diagonal neighbours, found by common
/// neighbours. For other graphs, the result is undefined.
[[nodiscard]] PairGraph without_diagonals(const PairGraph& graph);

}  // namespace waywiser::place
