#include <algorithm>

#include "place/folding.hpp"
#include "place/grid_bisection.hpp"
#include "place/machine_axes.hpp"
#include "place/methods.hpp"
#include "place/stencil.hpp"

namespace waywiser::place {
namespace {

constexpr std::size_t kMostFoldings = 24;

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
    Order best = bisect_grid(*stencil, slots);
    double least = value(best);
    const std::optional<MachineAxes> machine = machine_axes(slots, pattern.ranks());
    if (!machine) return best;
    for (const Folding& folding : foldings(*stencil, *machine, *slots.topology, kMostFoldings)) {
        Order order = fold(*stencil, *machine, folding);
        const double its = value(order);
        if (its < least) {
            least = its;
            best = std::move(order);
        }
    }
    return best;
}

}  // namespace waywiser::place
