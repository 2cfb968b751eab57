/// A communication pattern for mappers: one weight per pair, which sums both directions.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "place/mapper.hpp"

namespace waywiser::place {

/// An edge. Weights have 24 bits, which suffices for searches; the cost of a placement is computed from the pattern
/// itself.
struct Edge {
    std::uint32_t to = 0;
    float weight = 0;
};

/// An undirected graph: each edge is listed with both of its vertices.
struct Graph {
    std::vector<std::uint64_t> first{0};  ///< first edge of each vertex, and the end
    std::vector<Edge> edges;
    std::vector<std::uint32_t> size;  ///< number of ranks that each vertex represents

    [[nodiscard]] std::uint32_t count() const noexcept { return static_cast<std::uint32_t>(size.size()); }
    [[nodiscard]] std::span<const Edge> of(std::uint32_t vertex) const noexcept {
        return std::span(edges).subspan(first[vertex], first[vertex + 1] - first[vertex]);
    }
};

/// Weights are half of the bytes of both directions, so that weights times distances are hop-bytes; with
/// Objective::time, they are seconds per hop of messages and bytes.
[[nodiscard]] Graph graph_of(const Pattern& pattern, const Options& options);

/// A graph with about half as many vertices: each represents two vertices that a heavy edge joins (heavy-edge matching,
/// G. Karypis, V. Kumar, "A fast and high quality multilevel scheme for partitioning irregular graphs", SIAM Journal on
/// Scientific Computing 20(1), 1998), and at most `largest` ranks.
///
/// \param[out] coarse_of  the new vertex of each old vertex
[[nodiscard]] Graph coarsen(const Graph& fine, std::uint32_t largest, std::uint64_t seed,
                            std::vector<std::uint32_t>& coarse_of);

}  // namespace waywiser::place
