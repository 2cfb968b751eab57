/// Any network, defined by its links.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "machine/wired.hpp"

namespace waywiser::machine {

/// Hops are lengths of breadth-first searches, made once. If several routes are shortest, the destination's number
/// selects one, so that destinations spread over them. Nodes forward messages only in networks without switches.
class Graph final : public Wired {
public:
    /// Every second link is the reverse direction of the preceding link.
    ///
    /// \throws InvalidInput  with `name` first: some nodes are not connected, or there are too many switches
    Graph(std::string_view name, std::uint32_t nodes, std::uint32_t switches, std::span<const Link> links);

    [[nodiscard]] std::string_view kind() const noexcept override { return "graph"; }
    [[nodiscard]] std::uint32_t hops(std::uint32_t a, std::uint32_t b) const noexcept override {
        if (a == b) return 0;
        return between_[static_cast<std::size_t>(place_of_[a]) * places_.size() + place_of_[b]];
    }
    void route(std::uint32_t a, std::uint32_t b, std::vector<Share>& links) const override;

    /// Nodes of a group are connected without switches that are more than 1, 2, ... hops from their nearest node.
    /// Groups are subtrees of a tree or pods of a fat tree; groups of the last grouping are the nodes on one switch.
    [[nodiscard]] std::vector<Grouping> groupings() const override;

    /// Nodes on the same switches have the same place.
    [[nodiscard]] std::uint32_t place_of(std::uint32_t node) const noexcept { return place_of_[node]; }
    /// A node of each place.
    [[nodiscard]] std::span<const std::uint32_t> places() const noexcept { return places_; }

private:
    struct Exit {
        std::uint32_t to = 0;
        std::uint32_t link = 0;
    };

    [[nodiscard]] std::span<const Exit> exits(std::uint32_t vertex) const noexcept {
        return std::span(exits_).subspan(first_exit_[vertex], first_exit_[vertex + 1] - first_exit_[vertex]);
    }
    [[nodiscard]] bool passes_on(std::uint32_t vertex) const noexcept {
        return switch_count() == 0 || vertex >= node_count();
    }
    [[nodiscard]] const std::uint16_t* row(std::uint32_t place) const noexcept {
        return rows_.data() + static_cast<std::size_t>(place) * (node_count() + switch_count() - first_);
    }
    void set_exits();
    void set_places();
    void search(std::uint32_t place);
    void set_between(std::string_view name);

    std::uint32_t first_;  // first vertex that forwards messages
    std::vector<std::uint32_t> first_exit_;
    std::vector<Exit> exits_;  // exits of each vertex, ordered by the neighbour's number
    std::vector<std::uint32_t> place_of_;
    std::vector<std::uint32_t> places_;
    std::vector<std::uint16_t> rows_;     // hops between a node at each place and each forwarding vertex
    std::vector<std::uint16_t> between_;  // hops between two nodes, by their places
};

}  // namespace waywiser::machine
