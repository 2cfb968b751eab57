#include "machine/graph.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <numeric>
#include <utility>

#include "base/error.hpp"
#include "machine/families.hpp"
#include "machine/groups.hpp"

namespace waywiser::machine {
namespace {

constexpr std::uint16_t kFar = std::numeric_limits<std::uint16_t>::max();
constexpr std::uint64_t kMostHops = 1U << 28U;  // limit for the table of hops

}  // namespace

Graph::Graph(std::string_view name, std::uint32_t nodes, std::uint32_t switches, std::span<const Link> links)
    : Wired(nodes, switches), first_(switches == 0 ? 0 : nodes) {
    for (std::size_t link = 0; link < links.size(); link += 2) {
        join(links[link].from, links[link].to, links[link].cables);
    }
    set_exits();
    set_places();
    const std::uint64_t kept = places_.size() * std::max<std::uint64_t>(places_.size(), nodes + switches - first_);
    require(kept <= kMostHops, std::string(name) + ": " + std::to_string(places_.size()) +
                                   " switches with nodes are too many for a network without a formula");
    rows_.assign(places_.size() * (nodes + switches - first_), kFar);
    for (std::uint32_t place = 0; place < places_.size(); ++place) search(place);
    set_between(name);
}

void Graph::set_exits() {
    first_exit_.assign(node_count() + switch_count() + 1, 0);
    for (const Link& link : links()) ++first_exit_[link.from + 1];
    for (std::size_t i = 1; i < first_exit_.size(); ++i) first_exit_[i] += first_exit_[i - 1];
    exits_.resize(links().size());
    std::vector<std::uint32_t> next(first_exit_);
    for (std::uint32_t i = 0; i < links().size(); ++i) {
        exits_[next[links()[i].from]++] = {.to = links()[i].to, .link = i};
    }
    for (std::uint32_t vertex = 0; vertex + 1 < first_exit_.size(); ++vertex) {
        std::ranges::sort(exits_.begin() + first_exit_[vertex], exits_.begin() + first_exit_[vertex + 1], {},
                          &Exit::to);
    }
}

void Graph::set_places() {
    std::map<std::vector<std::uint32_t>, std::uint32_t> known;
    for (std::uint32_t node = 0; node < node_count(); ++node) {
        std::vector<std::uint32_t> key;
        if (switch_count() == 0) {
            key = {node};
        } else {
            for (const Exit& exit : exits(node)) key.push_back(exit.to);
        }
        const auto [entry, is_new] = known.try_emplace(std::move(key), static_cast<std::uint32_t>(places_.size()));
        if (is_new) places_.push_back(node);
        place_of_.push_back(entry->second);
    }
}

/// Breadth-first search.
void Graph::search(std::uint32_t place) {
    std::uint16_t* hops = rows_.data() + static_cast<std::size_t>(place) * (node_count() + switch_count() - first_);
    std::vector<std::uint32_t> reached;
    if (switch_count() == 0) {
        hops[places_[place]] = 0;
        reached.push_back(places_[place]);
    } else {
        for (const Exit& exit : exits(places_[place])) {
            hops[exit.to - first_] = 1;
            reached.push_back(exit.to);
        }
    }
    for (std::size_t i = 0; i < reached.size(); ++i) {
        for (const Exit& exit : exits(reached[i])) {
            if (!passes_on(exit.to) || hops[exit.to - first_] != kFar) continue;
            hops[exit.to - first_] = static_cast<std::uint16_t>(hops[reached[i] - first_] + 1);
            reached.push_back(exit.to);
        }
    }
}

void Graph::set_between(std::string_view name) {
    between_.reserve(places_.size() * places_.size());
    for (std::uint32_t from = 0; from < places_.size(); ++from) {
        for (std::uint32_t to = 0; to < places_.size(); ++to) {
            std::uint16_t least = kFar;
            if (switch_count() == 0) {
                least = row(from)[to];
            } else {
                for (const Exit& exit : exits(places_[to])) {
                    least = std::min<std::uint16_t>(least,
                                                    std::min<std::uint16_t>(row(from)[exit.to - first_], kFar - 1) + 1);
                }
            }
            require(least < kFar - 1, std::string(name) + ": no links join node " + std::to_string(places_[from]) +
                                          " and node " + std::to_string(places_[to]));
            between_.push_back(least);
        }
    }
}

void Graph::route(std::uint32_t a, std::uint32_t b, std::vector<Share>& links) const {
    const std::uint16_t* hops_to = row(place_of_[b]);
    std::uint32_t choice = b;
    std::uint32_t vertex = a;
    for (std::uint32_t left = hops(a, b); left > 0; --left) {
        const auto leads = [&](const Exit& exit) {
            return left == 1 ? exit.to == b : passes_on(exit.to) && hops_to[exit.to - first_] == left - 1;
        };
        const auto choices = static_cast<std::uint32_t>(std::ranges::count_if(exits(vertex), leads));
        std::uint32_t skipped = choice % choices;
        choice /= choices;
        for (const Exit& exit : exits(vertex)) {
            if (!leads(exit) || skipped-- > 0) continue;
            links.push_back({.link = exit.link});
            vertex = exit.to;
            break;
        }
    }
}

std::vector<Grouping> Graph::groupings() const {
    if (switch_count() == 0) return {};
    // distance of each switch from its nearest node
    std::vector<std::uint32_t> height(node_count() + switch_count(), 0);
    std::vector<std::uint32_t> reached(node_count());
    std::iota(reached.begin(), reached.end(), 0U);
    for (std::size_t i = 0; i < reached.size(); ++i) {
        for (const Exit& exit : exits(reached[i])) {
            if (exit.to < node_count() || height[exit.to] > 0) continue;
            height[exit.to] = height[reached[i]] + 1;
            reached.push_back(exit.to);
        }
    }
    std::vector<std::vector<std::uint32_t>> widening;
    std::vector<std::uint32_t> root(node_count() + switch_count());
    std::iota(root.begin(), root.end(), 0U);
    const auto root_of = [&](std::uint32_t vertex) {
        while (root[vertex] != vertex) vertex = root[vertex] = root[root[vertex]];
        return vertex;
    };
    // Groups are first the nodes of a switch, then nodes joined by switches of height 1, 2, …
    for (std::uint32_t limit = 0;; ++limit) {
        for (const Link& link : links()) {
            const auto [low, high] = std::minmax(height[link.from], height[link.to]);
            if (low == 0 ? limit == 0 : high == limit) root[root_of(link.from)] = root_of(link.to);
        }
        std::vector<std::uint32_t>& group_of_node = widening.emplace_back(node_count());
        for (std::uint32_t node = 0; node < node_count(); ++node) group_of_node[node] = root_of(node);
        if (std::ranges::count(group_of_node, group_of_node.front()) == node_count()) break;
    }
    std::vector<Grouping> all;
    for (; !widening.empty(); widening.pop_back()) append_narrower(all, std::move(widening.back()));
    return all;
}

std::unique_ptr<Topology> make_graph(const Parameters& parameters) {
    const std::uint32_t nodes = parameters.number("nodes", 1);
    const std::uint32_t switches = parameters.number_or("switches", 0, 0);
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> cables;
    for (const std::vector<std::uint32_t>& edge : parameters.edges("edges")) {
        const auto [low, high] = std::minmax(edge[0], edge[1]);
        if (low == high)
            parameters.refuse("edges", "between two vertices, not from " + std::to_string(low) + " to itself");
        if (high >= nodes + switches) {
            parameters.refuse("edges", "between vertices from 0 to " + std::to_string(nodes + switches - 1) +
                                           ", first the nodes, then the switches; there is no " + std::to_string(high));
        }
        if (switches > 0 && high < nodes) {
            parameters.refuse("edges", "from nodes to switches or between switches where there are switches; " +
                                           std::to_string(low) + " and " + std::to_string(high) + " are nodes");
        }
        cables[{low, high}] += edge.size() == 3 ? edge[2] : 1;
    }
    std::vector<Link> links;
    for (const auto& [ends, count] : cables) {
        links.push_back({.from = ends.first, .to = ends.second, .cables = static_cast<double>(count)});
        links.push_back({.from = ends.second, .to = ends.first, .cables = static_cast<double>(count)});
    }
    return std::make_unique<Graph>("graph", nodes, switches, links);
}

}  // namespace waywiser::machine
