#include <algorithm>
#include <numeric>

#include "place/graph.hpp"
#include "place/methods.hpp"
#include "place/scotch.hpp"
#include "place/sites.hpp"

namespace waywiser::place {
namespace {

/// Moves ranks from overfull sites to the nearest site with room, the lightest ranks first.
void fit(const Graph& graph, const Sites& sites, std::vector<std::uint32_t>& site_of) {
    std::vector<std::uint32_t> room(sites.count());
    for (std::uint32_t site = 0; site < sites.count(); ++site) room[site] = sites.slots_in(site);
    const auto inside = [&](std::uint32_t rank) {
        double sum = 0;
        for (const auto& [to, weight] : graph.of(rank)) {
            if (site_of[to] == site_of[rank]) sum += static_cast<double>(weight);
        }
        return sum;
    };
    std::vector<double> bound(site_of.size());
    std::vector<std::uint32_t> ranks(site_of.size());
    std::iota(ranks.begin(), ranks.end(), 0U);
    for (const std::uint32_t rank : ranks) bound[rank] = inside(rank);
    std::ranges::stable_sort(ranks, std::ranges::greater{}, [&](std::uint32_t rank) { return bound[rank]; });
    std::vector<std::uint32_t> surplus;
    for (const std::uint32_t rank : ranks) {
        if (room[site_of[rank]] == 0) {
            surplus.push_back(rank);
        } else {
            --room[site_of[rank]];
        }
    }
    for (const std::uint32_t rank : surplus) {
        const std::uint32_t full = site_of[rank];
        std::uint32_t nearest = full;
        for (std::uint32_t site = 0; site < sites.count(); ++site) {
            const bool nearer = nearest == full || sites.distance(full, site) < sites.distance(full, nearest);
            if (room[site] > 0 && nearer) nearest = site;
        }
        site_of[rank] = nearest;
        --room[nearest];
    }
}

}  // namespace

Order scotch_order(const Pattern& pattern, const Slots& slots, const Options& options) {
    const Graph graph = graph_of(pattern, options);
    const Sites sites(slots);
    std::vector<std::uint32_t> site_of = scotch_mapping(graph, sites, options.seed);
    fit(graph, sites, site_of);
    return order_of(sites, site_of);
}

}  // namespace waywiser::place
