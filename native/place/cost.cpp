#include <algorithm>

#include "place/link_loads.hpp"
#include "place/mapper.hpp"

namespace waywiser::place {

Cost cost(const Pattern& pattern, const Slots& slots, const Order& order, const TimeModel& model) {
    Cost cost;
    double rank_seconds = 0;
    std::vector<bool> holds_ranks(slots.topology->node_count());
    for (std::uint32_t rank = 0; rank < pattern.ranks(); ++rank) {
        const std::uint32_t slot = order[rank];
        const std::uint32_t node = slots.node[slot];
        if (!holds_ranks[node]) ++cost.nodes;
        holds_ranks[node] = true;
        double seconds = 0;
        for (const auto& [partner, bytes, messages] : pattern.partners(rank)) {
            const std::uint32_t hops = distance(slots, slot, order[partner]);
            // Both directions are visited, each as that of its sender.
            cost.hop_bytes += 0.5 * static_cast<double>(bytes) * hops;
            const bool inside = node == slots.node[order[partner]];
            if (!inside) cost.off_node_bytes += static_cast<double>(bytes);
            seconds +=
                static_cast<double>(messages) *
                (inside ? model.seconds_per_message_inside : model.seconds_per_message + hops * model.seconds_per_hop);
        }
        rank_seconds = std::max(rank_seconds, seconds);
    }
    const LinkLoads links(pattern, slots, order);
    cost.busiest_link_bytes = links.busiest();
    cost.seconds = std::max(rank_seconds, cost.busiest_link_bytes * model.seconds_per_byte);
    cost.seconds_at_most = rank_seconds + links.slowest_route(pattern, slots, order) * model.seconds_per_byte;
    return cost;
}

}  // namespace waywiser::place
