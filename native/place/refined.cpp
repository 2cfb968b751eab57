#include "place/effort.hpp"
#include "place/link_search.hpp"
#include "place/methods.hpp"
#include "place/swap_search.hpp"

namespace waywiser::place {

Order refined(const Pattern& pattern, const Slots& slots, const Options& options, const Order& order) {
    // The temperature is high enough to leave small local minima, and low enough to keep the proposal's structure.
    constexpr double kTemperature = 0.7;
    const Graph graph = graph_of(pattern, options);
    const Sites sites(slots);
    std::vector<std::uint32_t> site_of(order.size());
    for (std::size_t rank = 0; rank < order.size(); ++rank) site_of[rank] = sites.site_of(order[rank]);
    const Effort effort = effort_for(graph.count(), graph.edges.size(), options);
    if (options.objective != Objective::hop_bytes) {
        Order links = order;
        improve_links(pattern, slots, options, effort.shares, links);
        return links;
    }
    improve_by_swaps(graph, sites, {.seed = options.seed, .steps = effort.swaps, .temperature = kTemperature}, site_of);
    return order_of(sites, site_of);
}

}  // namespace waywiser::place
