/// Shared parts of the families of topologies: the list of links, and nodes attached to switches in blocks.
#pragma once

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <vector>

#include "machine/topology.hpp"

namespace waywiser::machine {

class Wired : public Topology {
public:
    [[nodiscard]] std::uint32_t node_count() const noexcept final { return nodes_; }
    [[nodiscard]] std::uint32_t switch_count() const noexcept final { return switches_; }
    [[nodiscard]] std::span<const Link> links() const noexcept final { return links_; }

protected:
    Wired(std::uint32_t nodes, std::uint32_t switches) : nodes_(nodes), switches_(switches) {}

    /// The number of that rank among 0, 1, ... without two different ones.
    [[nodiscard]] static std::uint32_t other_than(std::uint32_t first, std::uint32_t second,
                                                  std::uint64_t rank) noexcept {
        auto number = static_cast<std::uint32_t>(rank);
        number += static_cast<std::uint32_t>(number >= std::min(first, second));
        return number + static_cast<std::uint32_t>(number >= std::max(first, second));
    }

    /// Joins two vertices. Returns the link from a to b; the next link is its reverse.
    std::uint32_t join(std::uint32_t a, std::uint32_t b, double cables = 1) {
        const auto link = static_cast<std::uint32_t>(links_.size());
        links_.push_back({.from = a, .to = b, .cables = cables});
        links_.push_back({.from = b, .to = a, .cables = cables});
        return link;
    }

    /// Attaches nodes to switches, `nodes_per_switch` consecutive nodes to each, in every plane. Must be called before
    /// any join(), so that to_switch() and to_node() are the links.
    void join_nodes(std::uint32_t nodes_per_switch, std::uint32_t planes = 1) {
        for (std::uint32_t plane = 0; plane < planes; ++plane) {
            const std::uint32_t first_switch = nodes_ + switches_ / planes * plane;
            for (std::uint32_t node = 0; node < nodes_; ++node) join(node, first_switch + node / nodes_per_switch);
        }
    }
    [[nodiscard]] std::uint32_t to_switch(std::uint32_t node, std::uint32_t plane = 0) const noexcept {
        return 2 * (plane * nodes_ + node);
    }
    [[nodiscard]] std::uint32_t to_node(std::uint32_t node, std::uint32_t plane = 0) const noexcept {
        return to_switch(node, plane) + 1;
    }

private:
    std::uint32_t nodes_;
    std::uint32_t switches_;
    std::vector<Link> links_;
};

}  // namespace waywiser::machine
