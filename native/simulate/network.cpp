#include "simulate/network.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include "base/error.hpp"

namespace waywiser::simulate {
namespace {

/// Links that a route lists twice become one: a flow shares each of them once.
void merge(std::vector<machine::Share>& shares) {
    std::ranges::sort(shares, {}, &machine::Share::link);
    auto kept = shares.begin();
    for (auto share = shares.begin(); share != shares.end(); ++share) {
        if (kept != shares.begin() && std::prev(kept)->link == share->link) {
            std::prev(kept)->part += share->part;
        } else {
            *kept++ = *share;
        }
    }
    shares.erase(kept, shares.end());
}

}  // namespace

Network::Network(const machine::Topology& topology, const Speeds& speeds) : topology_(&topology), speeds_(speeds) {
    require(std::isfinite(speeds.link_bytes_per_ns) && speeds.link_bytes_per_ns > 0,
            "link_bytes_per_ns: expected a number above 0");
    require(speeds.card_bytes_per_ns > 0, "card_bytes_per_ns: expected a number above 0");
    require(std::isfinite(speeds.hop_ns) && speeds.hop_ns >= 0, "hop_ns: expected a number from 0 on");
    capacities_.reserve(topology.links().size());
    for (const machine::Link& link : topology.links()) capacities_.push_back(link.cables * speeds.link_bytes_per_ns);
    if (std::isfinite(speeds.card_bytes_per_ns)) {
        capacities_.resize(capacities_.size() + 2UL * topology.node_count(), speeds.card_bytes_per_ns);
    }
}

std::uint32_t Network::way(std::uint32_t a, std::uint32_t b) {
    const std::uint32_t node = std::max(a, b);
    if (node >= topology_->node_count()) {
        throw InvalidInput("node " + std::to_string(node) + " is not in the network, whose nodes are 0 to " +
                           std::to_string(topology_->node_count() - 1));
    }
    std::uint32_t& found = way_of_pair_[static_cast<std::uint64_t>(a) << 32U | b];
    if (found == 0) {
        append_way(a, b);
        found = static_cast<std::uint32_t>(ways_.size());
    }
    return found - 1;
}

void Network::append_way(std::uint32_t a, std::uint32_t b) {
    Way way{.links = {}, .latency_ns = speeds_.hop_ns * topology_->hops(a, b)};
    topology_->route(a, b, way.links);
    merge(way.links);
    if (a != b && std::isfinite(speeds_.card_bytes_per_ns)) {
        const auto cards = static_cast<std::uint32_t>(topology_->links().size());
        way.links.push_back({.link = cards + a});
        way.links.push_back({.link = cards + topology_->node_count() + b});
    }
    ways_.push_back(std::move(way));
}

}  // namespace waywiser::simulate
