#include "place/mapper.hpp"

#include <algorithm>
#include <iterator>
#include <numeric>
#include <utility>

#include "base/names.hpp"
#include "base/parallel.hpp"
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

/// The selected methods, in the order of the table.
std::vector<const Method*> chosen(const Options& options) {
    for (const std::string& name : options.methods) (void)row_named(methods(), name, "placement method");
    std::vector<const Method*> out;
    for (const Method& method : methods()) {
        const bool named = std::ranges::find(options.methods, method.name) != options.methods.end();
        if (named || (options.methods.empty() && !method.on_request)) out.push_back(&method);
    }
    return out;
}

constexpr std::string_view kDefault = "default";
constexpr std::string_view kLocalSearch = "local-search";
constexpr std::size_t kRefined = 2;  ///< largest number of candidates for local search

struct Candidate {
    std::string_view method;
    Order order;
    Cost cost;
};

void count_step(const Options& options) {
    if (options.progress != nullptr) ++options.progress->done;
}

/// The default order, and the proposals of the methods in the order of the table.
std::vector<Candidate> proposals(const Pattern& pattern, const Slots& slots, const Options& options) {
    const std::vector<const Method*> chosen_methods = chosen(options);
    std::vector<Candidate> candidates(chosen_methods.size() + 1);
    if (options.progress != nullptr) options.progress->total = candidates.size() + kRefined;
    in_parallel(options.threads, candidates.size(), [&](std::size_t i) {
        Candidate& candidate = candidates[i];
        candidate.method = i == 0 ? kDefault : chosen_methods[i - 1]->name;
        candidate.order = (i == 0 ? default_order : chosen_methods[i - 1]->propose)(pattern, slots, options);
        if (!candidate.order.empty()) candidate.cost = cost(pattern, slots, candidate.order, options.model);
        count_step(options);
    });
    const auto none = std::remove_if(candidates.begin() + 1, candidates.end(),
                                     [](const Candidate& candidate) { return candidate.order.empty(); });
    candidates.erase(none, candidates.end());
    return candidates;
}

/// Adds the results of local search on the cheapest distinct candidates that are promising.
void refine_best(const Pattern& pattern, const Slots& slots, const Options& options,
                 std::vector<Candidate>& candidates) {
    constexpr double kWorthwhile = 1.5;  // A candidate with this multiple of the least cost cannot win by local search.
    std::vector<std::size_t> cheapest(candidates.size());
    std::iota(cheapest.begin(), cheapest.end(), std::size_t{0});
    const auto value_of = [&](std::size_t i) { return value(candidates[i].cost, options.objective); };
    std::ranges::sort(cheapest, {}, [&](std::size_t i) { return std::pair(value_of(i), i); });
    const auto same = std::ranges::unique(cheapest, {}, value_of);
    cheapest.erase(same.begin(), same.end());
    cheapest.resize(std::min(cheapest.size(), kRefined));
    const double limit = kWorthwhile * value_of(cheapest.front());
    std::erase_if(cheapest, [&](std::size_t i) { return value_of(i) > limit; });

    std::vector<Candidate> refinements(cheapest.size());
    if (options.progress != nullptr) options.progress->total = options.progress->done + refinements.size();
    in_parallel(options.threads, refinements.size(), [&](std::size_t i) {
        const Candidate& start = candidates[cheapest[i]];
        Candidate& candidate = refinements[i];
        candidate.method = cheapest[i] == 0 ? kLocalSearch : start.method;
        candidate.order = refined(pattern, slots, options, start.order);
        candidate.cost = cost(pattern, slots, candidate.order, options.model);
        count_step(options);
    });
    std::ranges::move(refinements, std::back_inserter(candidates));
}

}  // namespace

Placement place(const Pattern& pattern, const Slots& slots, const Options& options) {
    require(
        pattern.ranks() <= slots.count(),
        std::to_string(pattern.ranks()) + " ranks need as many slots, but there are " + std::to_string(slots.count()));
    std::vector<Candidate> candidates = proposals(pattern, slots, options);
    const Cost default_cost = candidates.front().cost;
    const bool default_only = options.methods == std::vector{std::string(kDefault)};
    if (!default_only) refine_best(pattern, slots, options, candidates);
    const auto best = std::ranges::min_element(
        candidates, {}, [&](const Candidate& candidate) { return value(candidate.cost, options.objective); });
    return {.order = std::move(best->order), .cost = best->cost, .default_cost = default_cost, .method = best->method};
}

}  // namespace waywiser::place
