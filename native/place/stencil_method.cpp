#include <algorithm>
#include <cmath>
#include <numeric>

#include "place/folding.hpp"
#include "place/grid_bisection.hpp"
#include "place/link_loads.hpp"
#include "place/machine_axes.hpp"
#include "place/methods.hpp"
#include "place/stencil.hpp"

namespace waywiser::place {
namespace {

/// Number of proposals that are fully evaluated, the cheapest by closed form: many for small patterns, few for large
/// ones.
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

/// Keeps the cheapest order by the objective; among equal costs, which symmetric foldings have, the order with the
/// lower link load or hop-bytes.
class Contest {
public:
    Contest(const Pattern& pattern, const Slots& slots, const Options& options)
        : pattern_(pattern), slots_(slots), options_(options) {}

    void enter(Order order) {
        const double value = first_value(order);
        constexpr double kSame = 1e-12;
        if (!best_.empty() && std::abs(value - value_) <= kSame * value_) {
            const double tie = second_value(order);
            if (tie_ < 0) tie_ = second_value(best_);
            if (tie >= tie_) return;
            tie_ = tie;
        } else if (!best_.empty() && value > value_) {
            return;
        } else {
            tie_ = -1;
        }
        value_ = value;
        best_ = std::move(order);
    }

    [[nodiscard]] Order winner() { return std::move(best_); }

private:
    [[nodiscard]] double first_value(const Order& order) const {
        if (options_.objective == Objective::hop_bytes) return hop_bytes(pattern_, slots_, order);
        const Cost its = cost(pattern_, slots_, order, options_.model);
        return options_.objective == Objective::time ? its.seconds : its.busiest_link_bytes;
    }
    [[nodiscard]] double second_value(const Order& order) const {
        return options_.objective == Objective::hop_bytes ? LinkLoads(pattern_, slots_, order).busiest()
                                                          : hop_bytes(pattern_, slots_, order);
    }

    const Pattern& pattern_;
    const Slots& slots_;
    const Options& options_;
    Order best_;
    double value_ = 0;
    double tie_ = -1;  // tie-breaker of the best order; negative: not computed yet
};

/// The slots to use if there are more than ranks: the first, or equally many of each node.
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
    Contest contest(pattern, slots, options);
    const std::size_t most = most_trials(pattern);
    for (const std::vector<std::uint32_t>& used : choices_of_slots(slots, pattern.ranks())) {
        std::vector<Folding> candidates;
        if (const std::optional<MachineAxes> machine = machine_axes(slots, used)) {
            candidates = foldings(*stencil, *machine, *slots.topology, most);
            for (const Folding& folding : candidates) contest.enter(fold(*stencil, *machine, folding));
        }
        // If the grid fills the axes, bisections seldom help.
        for (const Alignment& alignment : alignments(*stencil, *slots.topology, candidates.empty() ? most / 2 : 1)) {
            contest.enter(bisect_grid(*stencil, slots, used, alignment));
        }
    }
    return contest.winner();
}

}  // namespace waywiser::place
