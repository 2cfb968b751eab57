#include "place/swap_search.hpp"

#include <algorithm>

#include "place/random.hpp"

namespace waywiser::place {
namespace {

class Search {
public:
    Search(const Graph& graph, const Sites& sites, const SwapSearch& search, std::vector<std::uint32_t>& site_of)
        : graph_(graph), sites_(sites), search_(search), random_(search.seed), site_of_(site_of) {
        first_.push_back(0);
        for (std::uint32_t site = 0; site < sites.count(); ++site)
            first_.push_back(first_[site] + sites.slots_in(site));
        held_.assign(first_.back(), kNone);
        place_.resize(graph.count());
        std::vector<std::uint32_t> next(first_.begin(), first_.end() - 1);
        for (std::uint32_t rank = 0; rank < graph.count(); ++rank) {
            place_[rank] = next[site_of[rank]]++;
            held_[place_[rank]] = rank;
        }
        double sum = 0;
        for (const Edge& edge : graph.edges) sum += edge.weight;
        mean_weight_ = graph.edges.empty() ? 0 : sum / static_cast<double>(graph.edges.size());
    }

    void run() {
        const double hottest = search_.temperature * mean_weight_;
        const std::uint64_t round = std::max<std::uint64_t>(1, search_.steps / 64);
        for (std::uint64_t step = 0; step < search_.steps; ++step) {
            if (step % round == 0) {
                const double left = 1 - static_cast<double>(step) / static_cast<double>(search_.steps);
                temperature_ = hottest * left * left;
            }
            try_one();
        }
    }

private:
    void try_one() {
        const std::uint32_t rank = random_.below(graph_.count());
        const auto edges = graph_.of(rank);
        if (edges.empty()) return;
        const std::uint32_t from = site_of_[rank];
        std::uint32_t partner = edges[random_.below(edges.size())].to;
        if (site_of_[partner] == from || random_.below(8) == 0) {
            const auto further = graph_.of(partner);
            partner = further[random_.below(further.size())].to;
        }
        const std::uint32_t to = site_of_[partner];
        if (to == from) return;
        const std::uint32_t slot = first_[to] + random_.below(first_[to + 1] - first_[to]);
        const std::uint32_t occupant = held_[slot];
        double change = moved(rank, occupant, from, to);
        if (occupant != kNone) change += moved(occupant, rank, to, from);
        if (!accepted(change)) return;
        held_[place_[rank]] = occupant;
        if (occupant != kNone) {
            place_[occupant] = place_[rank];
            site_of_[occupant] = from;
        }
        held_[slot] = rank;
        place_[rank] = slot;
        site_of_[rank] = to;
    }

    double moved(std::uint32_t rank, std::uint32_t except, std::uint32_t from, std::uint32_t to) const {
        double change = 0;
        for (const auto& [neighbour, weight] : graph_.of(rank)) {
            if (neighbour == except) continue;
            const std::uint32_t its = site_of_[neighbour];
            const auto nearer =
                static_cast<int>(sites_.distance(its, to)) - static_cast<int>(sites_.distance(its, from));
            change += static_cast<double>(weight) * nearer;
        }
        return change;
    }

    /// Accepts with probability (1 + x/8)^-8 instead of exp(-x), which differs between machines.
    bool accepted(double change) {
        if (change <= 0) return true;
        if (change > 12 * temperature_) return false;
        const double x = 1 + change / temperature_ / 8;
        const double x4 = x * x * x * x;
        return random_.fraction() * x4 * x4 < 1;
    }

    const Graph& graph_;
    const Sites& sites_;
    SwapSearch search_;
    Random random_;
    std::vector<std::uint32_t>& site_of_;
    std::vector<std::uint32_t> first_;
    std::vector<std::uint32_t> held_;   // rank by slot
    std::vector<std::uint32_t> place_;  // slot of each rank
    double mean_weight_ = 0;
    double temperature_ = 0;
};

}  // namespace

void improve_by_swaps(const Graph& graph, const Sites& sites, const SwapSearch& search,
                      std::vector<std::uint32_t>& site_of) {
    Search(graph, sites, search, site_of).run();
}

}  // namespace waywiser::place
