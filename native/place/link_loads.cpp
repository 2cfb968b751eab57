#include "place/link_loads.hpp"

#include <algorithm>
#include <utility>

namespace waywiser::place {

namespace {

/// Visits each pair of nodes once with the sum of its ranks' traffic, because routes cost more than sums.
template <class Visit>
void visit_pairs_of_nodes(const Pattern& pattern, const Slots& slots, const Order& order, Visit visit) {
    std::vector<std::uint32_t> by_node(pattern.ranks());
    for (std::uint32_t rank = 0; rank < pattern.ranks(); ++rank) by_node[rank] = rank;
    std::ranges::sort(by_node, {}, [&](std::uint32_t rank) { return std::pair(slots.node[order[rank]], rank); });

    std::vector<double> bytes_to(slots.topology->node_count());
    std::vector<std::uint32_t> spoken_to;
    for (std::size_t i = 0; i < by_node.size();) {
        const std::uint32_t node = slots.node[order[by_node[i]]];
        spoken_to.clear();
        for (; i < by_node.size() && slots.node[order[by_node[i]]] == node; ++i) {
            for (const Partner& partner : pattern.partners(by_node[i])) {
                const std::uint32_t to = slots.node[order[partner.rank]];
                if (to == node || partner.bytes == 0) continue;
                if (bytes_to[to] == 0) spoken_to.push_back(to);
                bytes_to[to] += static_cast<double>(partner.bytes);
            }
        }
        for (const std::uint32_t to : spoken_to) {
            visit(node, to, bytes_to[to]);
            bytes_to[to] = 0;
        }
    }
}

}  // namespace

LinkLoads::LinkLoads(const Pattern& pattern, const Slots& slots, const Order& order)
    : loads_(slots.topology->links().size()) {
    const machine::Topology& topology = *slots.topology;
    std::vector<machine::Share> route;
    visit_pairs_of_nodes(pattern, slots, order, [&](std::uint32_t from, std::uint32_t to, double bytes) {
        route.clear();
        topology.route(from, to, route);
        for (const auto& [link, part] : route) loads_[link] += part * bytes;
    });
    for (std::size_t link = 0; link < loads_.size(); ++link) loads_[link] /= topology.links()[link].cables;
}

double LinkLoads::slowest_route(const Pattern& pattern, const Slots& slots, const Order& order) const {
    double slowest = 0;
    std::vector<machine::Share> route;
    visit_pairs_of_nodes(pattern, slots, order, [&](std::uint32_t from, std::uint32_t to, double) {
        route.clear();
        slots.topology->route(from, to, route);
        double load = 0;
        for (const auto& [link, part] : route) load += part * loads_[link];
        slowest = std::max(slowest, load);
    });
    return slowest;
}

double LinkLoads::busiest() const noexcept { return loads_.empty() ? 0 : *std::ranges::max_element(loads_); }

}  // namespace waywiser::place
