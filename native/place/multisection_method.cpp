#include "place/effort.hpp"
#include "place/graph.hpp"
#include "place/methods.hpp"
#include "place/multisection.hpp"
#include "place/random.hpp"
#include "place/sites.hpp"

namespace waywiser::place {
namespace {

double hop_bytes(const Graph& graph, const Sites& sites, const std::vector<std::uint32_t>& site_of) {
    double sum = 0;
    for (std::uint32_t rank = 0; rank < graph.count(); ++rank) {
        for (const auto& [to, weight] : graph.of(rank)) {
            sum += static_cast<double>(weight) * sites.distance(site_of[rank], site_of[to]);
        }
    }
    return sum / 2;
}

}  // namespace

Order multisection_order(const Pattern& pattern, const Slots& slots, const Options& options) {
    const Graph graph = graph_of(pattern, options);
    const Sites sites(slots);
    const Effort effort = effort_for(graph.count(), graph.edges.size(), options);
    Random seeds(options.seed);
    std::vector<std::uint32_t> best;
    double best_cost = 0;
    for (std::uint32_t start = 0; start < effort.starts; ++start) {
        std::vector<std::uint32_t> site_of = multisection(graph, sites, seeds.next(), effort.runs);
        const double cost = hop_bytes(graph, sites, site_of);
        if (best.empty() || cost < best_cost) {
            best = std::move(site_of);
            best_cost = cost;
        }
    }
    return order_of(sites, best);
}

}  // namespace waywiser::place
