/// A communication pattern as mappers see it: both directions together, one weight per pair.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "place/mapper.hpp"

namespace waywiser::place {

/// Weights have 24 bits, which is enough to search by: what a placement costs is summed up from the pattern.
struct Edge {
    std::uint32_t to = 0;
    float weight = 0;
};

/// Undirected: each edge stands with both of its vertices.
struct Graph {
    std::vector<std::uint64_t> first{0};  ///< of each vertex's edges; one more for the end
    std::vector<Edge> edges;
    std::vector<std::uint32_t> size;  ///< ranks that each vertex stands for

    [[nodiscard]] std::uint32_t count() const noexcept { return static_cast<std::uint32_t>(size.size()); }
    [[nodiscard]] std::span<const Edge> of(std::uint32_t vertex) const noexcept {
        return std::span(edges).subspan(first[vertex], first[vertex + 1] - first[vertex]);
    }
};

/// Weights are half of the bytes of both directions, so that weights times distances are hop-bytes; with
/// Objective::time seconds per hop, of messages and bytes.
[[nodiscard]] Graph graph_of(const Pattern& pattern, const Options& options);

/// Half as many vertices or somewhat more: each stands for two that are joined by a heavy edge (heavy-edge matching,
/// G. Karypis, V. Kumar, "A fast and high quality multilevel scheme for partitioning irregular graphs", SIAM Journal on
/// Scientific Computing 20(1), 1998), and for no more than `largest` ranks.
///
/// \param[out] coarse_of  the new vertex of each old one
[[nodiscard]] Graph coarsen(const Graph& fine, std::uint32_t largest, std::uint64_t seed,
                            std::vector<std::uint32_t>& coarse_of);

}  // namespace waywiser::place
