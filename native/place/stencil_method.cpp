#include <algorithm>
#include <numeric>

#include "place/folding.hpp"
#include "place/grid_bisection.hpp"
#include "place/machine_axes.hpp"
#include "place/methods.hpp"
#include "place/stencil.hpp"

namespace waywiser::place {
namespace {

/// Proposals that are tried in full: many of small patterns, few of large ones, the cheapest by closed form.
std::size_t most_trials(const Pattern& pattern) {
    std::uint64_t partners = 1;
    for (std::uint32_t rank = 0; rank < pattern.ranks(); ++rank) partners += pattern.partners(rank).size();
    return std::clamp<std::size_t>(20'000'000 / partners, 4, 24);
}

double hop_bytes(const Pattern& pattern, const Slots& slots, const Order& order) {
    double sum = 0;
    for (std::uint32_t rank = 0; rank < pattern.ranks(); ++rank) {
        for (const Partner& partner : pattern.partners(rank)) {
            if (partner.bytes > 0) {
                sum += 0.5 * static_cast<double>(partner.bytes) * distance(slots, order[rank], order[partner.rank]);
            }
        }
    }
    return sum;
}

/// Which slots to use, where there are more than ranks: the first, or as many of each node.
std::vector<std::vector<std::uint32_t>> choices_of_slots(const Slots& slots, std::uint32_t ranks) {
    std::vector<std::uint32_t> first(ranks);
    std::iota(first.begin(), first.end(), 0U);
    std::vector<std::vector<std::uint32_t>> choices{first};
    std::vector<std::uint32_t> of_node(slots.topology->node_count());
    for (const std::uint32_t node : slots.node) ++of_node[node];
    const auto nodes =
        static_cast<std::uint32_t>(std::ranges::count_if(of_node, [](std::uint32_t n) { return n > 0; }));
    if (slots.count() == ranks || ranks % nodes != 0) return choices;
    std::ranges::fill(of_node, 0U);
    std::vector<std::uint32_t> even;
    for (std::uint32_t slot = 0; slot < slots.count(); ++slot) {
        if (of_node[slots.node[slot]]++ < ranks / nodes) even.push_back(slot);
    }
    if (even.size() == ranks) choices.push_back(std::move(even));
    return choices;
}

}  // namespace

Order stencil_order(const Pattern& pattern, const Slots& slots, const Options& options) {
    const std::optional<Stencil> stencil = find_stencil(pattern);
    if (!stencil) return {};
    const auto value = [&](const Order& order) {
        switch (options.objective) {
            case Objective::hop_bytes: return hop_bytes(pattern, slots, order);
            case Objective::busiest_link: return cost(pattern, slots, order, options.model).busiest_link_bytes;
            case Objective::time: return cost(pattern, slots, order, options.model).seconds;
        }
        return 0.0;
    };
    Order best;
    double least = 0;
    const auto consider = [&](Order order) {
        const double its = value(order);
        if (best.empty() || its < least) {
            least = its;
            best = std::move(order);
        }
    };
    const std::size_t most = most_trials(pattern);
    for (const std::vector<std::uint32_t>& used : choices_of_slots(slots, pattern.ranks())) {
        std::vector<Folding> found;
        if (const std::optional<MachineAxes> machine = machine_axes(slots, used)) {
            found = foldings(*stencil, *machine, *slots.topology, most);
            for (const Folding& folding : found) consider(fold(*stencil, *machine, folding));
        }
        // Where the grid fills the axes, cuts seldom help.
        for (const Alignment& alignment : alignments(*stencil, *slots.topology, found.empty() ? most / 2 : 1)) {
            consider(bisect_grid(*stencil, slots, used, alignment));
        }
    }
    return best;
}

}  // namespace waywiser::place
