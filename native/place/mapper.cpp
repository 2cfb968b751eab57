#include "place/mapper.hpp"

#include <algorithm>

#include "base/error.hpp"
#include "place/methods.hpp"

namespace waywiser::place {
namespace {

double value(const Cost& cost, Objective objective) {
    switch (objective) {
        case Objective::hop_bytes: return cost.hop_bytes;
        case Objective::busiest_link: return cost.busiest_link_bytes;
        case Objective::time: return cost.seconds;
    }
    return cost.hop_bytes;
}

/// The methods that were asked for, in the order of the table.
std::vector<const Method*> chosen(const Options& options) {
    for (const std::string& name : options.methods) {
        require(std::ranges::any_of(methods(), [&](const Method& method) { return method.name == name; }),
                "there is no placement method '" + name + "'");
    }
    std::vector<const Method*> out;
    for (const Method& method : methods()) {
        if (options.methods.empty() || std::ranges::find(options.methods, method.name) != options.methods.end()) {
            out.push_back(&method);
        }
    }
    return out;
}

}  // namespace

Placement place(const Pattern& pattern, const Slots& slots, const Options& options) {
    require(
        pattern.ranks() <= slots.count(),
        std::to_string(pattern.ranks()) + " ranks need as many slots, but there are " + std::to_string(slots.count()));
    Placement best;
    best.order = default_order(pattern, slots, options);
    best.default_cost = best.cost = cost(pattern, slots, best.order, options.model);
    best.method = "default";
    for (const Method* method : chosen(options)) {
        Order order = method->propose(pattern, slots, options);
        if (order.empty()) continue;
        const Cost its_cost = cost(pattern, slots, order, options.model);
        if (value(its_cost, options.objective) < value(best.cost, options.objective)) {
            best.order = std::move(order);
            best.cost = its_cost;
            best.method = method->name;
        }
    }
    return best;
}

}  // namespace waywiser::place
