#include "simulate/network.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

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
    require(speeds.nic_bytes_per_ns > 0, "nic_bytes_per_ns: expected a number above 0");
    require(std::isfinite(speeds.hop_ns) && speeds.hop_ns >= 0, "hop_ns: expected a number from 0 on");
    capacities_.reserve(topology.links().size());
    for (const machine::Link& link : topology.links()) capacities_.push_back(link.cables * speeds.link_bytes_per_ns);
    if (std::isfinite(speeds.nic_bytes_per_ns)) {
        capacities_.resize(capacities_.size() + 2UL * topology.node_count(), speeds.nic_bytes_per_ns);
    }
    company_.resize(capacities_.size());
    // Any message may take a detour across any link.
    needed_.resize(capacities_.size(), topology.is_adaptive() ? 1 : 0);
    const std::size_t routes = std::size_t{4} * topology.node_count();
    routes_.expect(routes);
    ends_.expect(routes, topology.node_count());
    links_.expect(4 * routes);
}

std::uint32_t Network::route(std::uint32_t a, std::uint32_t b) {
    const std::uint32_t node = std::max(a, b);
    if (node >= topology_->node_count()) {
        throw InvalidInput("node " + std::to_string(node) + " is not in the network, whose nodes are 0 to " +
                           std::to_string(topology_->node_count() - 1));
    }
    return numbered({.from = a, .to = b});
}

std::uint32_t Network::detour(std::uint32_t minimal, std::uint64_t number) {
    return numbered({.from = source(minimal), .to = target(minimal), .detour = number + 1});
}

std::uint32_t Network::numbered(const Ends& ends) {
    const std::uint32_t number = ends_.number(ends);
    if (number == routes()) append_route(ends);
    return number;
}

void Network::append_route(const Ends& ends) {
    const auto [a, b, detour] = ends;
    std::vector<machine::Share>& links = route_;
    links.clear();
    if (detour == 0) {
        topology_->route(a, b, links);
    } else {
        topology_->detour(a, b, detour - 1, links);
    }
    const std::size_t hops = detour == 0 ? topology_->hops(a, b) : links.size();
    if (a != b && std::isfinite(speeds_.nic_bytes_per_ns)) {
        const auto nics = static_cast<std::uint32_t>(topology_->links().size());
        links.insert(links.begin(), {.link = nics + a});
        links.push_back({.link = nics + topology_->node_count() + b});
    }
    if (!links.empty()) {
        const std::uint32_t first = links.front().link;
        const std::uint32_t last = links.back().link;
        merge(links);
        join(links, first, last);
    }
    Route& route = routes_.add();
    route.latency_ns = speeds_.hop_ns * static_cast<double>(hops);
    route.target = b;
    route.count = static_cast<std::uint32_t>(links.size());
    route.links = links_.add(links);
}

bool Network::is_inner(std::uint32_t link, std::uint32_t route) const noexcept {
    const std::span<const machine::Link> links = topology_->links();
    return link < links.size() && links[link].from != ends_.key(route).from && links[link].to != ends_.key(route).to;
}

/// Registers another way across these links.
void Network::join(std::span<const machine::Share> links, std::uint32_t first, std::uint32_t last) {
    const bool split = std::ranges::any_of(links, [](const machine::Share& share) { return share.part != 1; });
    for (const machine::Share& share : links) {
        Company& link = company_[share.link];
        const bool new_link = link.first == Company::kAny;
        if (link.first != first) link.first = new_link ? first : Company::kNone;
        if (link.last != last) link.last = new_link ? last : Company::kNone;
        const bool covered = stands_for(link.first, share.link) || stands_for(link.last, share.link);
        const bool end = share.link == first || share.link == last;
        if (needed_[share.link] != 0 || (covered && !end && !split)) continue;
        needed_[share.link] = 1;
        if (!new_link) ++revision_;
    }
}

bool Network::stands_for(std::uint32_t substitute, std::uint32_t link) const noexcept {
    return substitute < capacities_.size() && capacities_[substitute] <= capacities_[link];
}

std::span<const machine::Share> Network::needed_links(std::uint32_t number) {
    Route& route = routes_[number];
    if (std::exchange(route.revision, revision_) != revision_) {
        const std::span<machine::Share> links{route.links, route.count};
        const auto rest = std::ranges::partition(
            links.subspan(route.needed), [this](const machine::Share& share) { return needed_[share.link] != 0; });
        const std::span<machine::Share> needed = links.first(links.size() - rest.size());
        route.needed = static_cast<std::uint32_t>(needed.size()) & 0x7FFFFFFFU;
        route.needs_inner =
            std::ranges::any_of(needed, [&](const machine::Share& share) { return is_inner(share.link, number); });
        std::ranges::copy(needed.first(std::min(needed.size(), route.near.size())), route.near.begin());
    }
    return known_links(number);
}

}  // namespace waywiser::simulate
