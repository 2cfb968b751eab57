#include "simulate/adaptive_routing.hpp"

#include <algorithm>
#include <cmath>

#include "base/hash.hpp"

namespace waywiser::simulate {
namespace {

/// Loads are whole multiples of the part 1 / kWhole of a message, so that an idle link has a load of exactly 0.
constexpr double kWhole = 1U << 20U;

}  // namespace

AdaptiveRouting::AdaptiveRouting(Network& network, std::uint64_t seed)
    : network_(&network), loads_(network.topology().links().size()), chance_(seed) {}

std::uint32_t AdaptiveRouting::start(std::uint32_t minimal) {
    const std::uint32_t route = chosen(minimal);
    load(route, 1);
    return route;
}

std::uint32_t AdaptiveRouting::chosen(std::uint32_t minimal) {
    const machine::Topology& topology = network_->topology();
    const std::uint32_t from = network_->source(minimal);
    const std::uint32_t to = network_->target(minimal);
    const std::uint64_t detours = topology.detour_count(from, to);
    double least = detours > 0 ? cost(network_->links(minimal), topology.hops(from, to)) : 0;
    if (least == 0) return minimal;
    std::uint64_t best = detours;
    for (int i = 0; i < kDetours; ++i) {
        const std::uint64_t detour = splitmix(chance_ += kGolden) % detours;
        links_.clear();
        topology.detour(from, to, detour, links_);
        if (links_.empty()) continue;
        const double detour_cost = cost(links_, links_.size());
        if (detour_cost < least) {
            least = detour_cost;
            best = detour;
        }
    }
    return best < detours ? network_->detour(minimal, best) : minimal;
}

/// The load of the busiest link times the hops. Links of NICs do not count: all routes between two nodes share them.
double AdaptiveRouting::cost(std::span<const machine::Share> links, std::size_t hops) const {
    const std::span<const machine::Link> all = network_->topology().links();
    double most = 0;
    for (const machine::Share& share : links) {
        if (share.link >= all.size()) continue;
        // The product is exact: equal costs are equal numbers.
        most = std::max(
            most, static_cast<double>(loads_[share.link] * static_cast<std::int64_t>(hops)) / all[share.link].cables);
    }
    return most;
}

void AdaptiveRouting::load(std::uint32_t route, std::int64_t messages) {
    for (const machine::Share& share : network_->links(route)) {
        if (share.link < loads_.size()) loads_[share.link] += messages * std::llround(share.part * kWhole);
    }
}

}  // namespace waywiser::simulate
