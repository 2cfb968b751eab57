#include "extrapolate/rules.hpp"

#include <algorithm>
#include <cstdlib>

#include "trace/records/action.hpp"

namespace waywiser::extrapolate {
namespace {

constexpr std::array kUnits = {Unit::one,   Unit::quarter_of_ranks, Unit::power_of_round, Unit::half_of_power,
                               Unit::round, Unit::next_round};

/// Largest step along a dimension of a grid that is tried. Two steps along one dimension would also be one along the
/// next, where the first has two ranks.
constexpr std::int64_t kMostStep = 1;

/// Size of a unit in ranks or rounds; none if it is not a whole number.
std::optional<std::int64_t> size_of(Unit unit, const Where& where) {
    constexpr std::int64_t kMostRounds = 40;
    if (where.round > kMostRounds && (unit == Unit::power_of_round || unit == Unit::half_of_power)) return {};
    switch (unit) {
        case Unit::one: return 1;
        case Unit::quarter_of_ranks: return where.ranks % 4 == 0 ? std::optional(where.ranks / 4) : std::nullopt;
        case Unit::power_of_round: return std::int64_t{1} << where.round;
        case Unit::half_of_power: {
            const std::int64_t power = std::int64_t{2} << where.round;
            return where.ranks % power == 0 ? std::optional(where.ranks / power) : std::nullopt;
        }
        case Unit::round: return where.round;
        case Unit::next_round: return where.round + 1;
    }
    return {};
}

std::optional<std::int64_t> among(std::int64_t rank, std::int64_t ranks) {
    if (rank < 0 || rank >= ranks) return {};
    return rank;
}

std::int64_t step_on(const Rule& rule, const Where& where) {
    std::int64_t to = where.rank;
    std::int64_t stride = 1;
    for (std::size_t i = 0; i < kMostDimensions; ++i) {
        const std::int64_t size = where.grid.sizes.at(i);
        if (rule.step.at(i) != 0) {
            const std::int64_t from = where.rank / stride % size;
            std::int64_t at = from + rule.step.at(i);
            if (rule.periodic.at(i)) at = (at % size + size) % size;
            if (at < 0 || at >= size) return trace::kProcNull;
            to += (at - from) * stride;
        }
        stride *= size;
    }
    return to;
}

bool says_all(const Rule& rule, std::span<const Seen> seen) {
    return std::ranges::all_of(
        seen, [&](const Seen& observation) { return rule.value(observation.where) == observation.value; });
}

void add_if_right(const Rule& rule, std::span<const Seen> seen, std::vector<Rule>& rules) {
    if (says_all(rule, seen)) rules.push_back(rule);
}

/// Adds rules with an amount. The first value that is a rank determines the amount, except for turns around all ranks.
void add_amounts(std::span<const Seen> seen, const Seen& first, std::vector<Rule>& rules) {
    const auto& [where, value] = first;
    for (const Unit unit : kUnits) {
        const auto size = size_of(unit, where);
        if (!size || *size == 0) continue;
        const auto add = [&](Rule::Kind kind, std::int64_t amount) {
            if (amount % *size != 0) return;
            add_if_right({.kind = kind, .factor = amount / *size, .unit = unit}, seen, rules);
        };
        const std::int64_t distance = value - where.rank;
        for (const std::int64_t turn : {std::int64_t{0}, where.ranks, -where.ranks}) {
            // One more turn is equivalent in the largest run, and in all runs whose number of ranks divides its number.
            if (2 * std::abs(distance + turn) <= where.ranks) add(Rule::Kind::around, distance + turn);
        }
        add(Rule::Kind::along, distance);
        add(Rule::Kind::exclusive_or, value ^ where.rank);
    }
}

/// Adds rules that are equal for all ranks.
void add_fixed(std::span<const Seen> seen, std::vector<Rule>& rules) {
    const auto& [where, value] = seen.front();
    add_if_right({.kind = Rule::Kind::fixed, .addend = value}, seen, rules);
    if (!rules.empty()) return;
    for (const std::int64_t sign : {1, -1}) {
        const Rule rule{
            .kind = Rule::Kind::fixed, .factor = sign, .unit = Unit::round, .addend = value - sign * where.round};
        add_if_right(rule, seen, rules);
    }
    add_if_right({.kind = Rule::Kind::from_the_end, .factor = where.ranks - value}, seen, rules);
}

void add_steps(std::span<const Seen> seen, const Seen& first, std::size_t dimensions, std::vector<Rule>& rules) {
    const Place from = first.where.grid.place(first.where.rank);
    const Place to = first.where.grid.place(first.value);
    constexpr unsigned kTurns = 3;  // turns along each dimension: none, one down or one up
    unsigned combinations = 1;
    for (std::size_t i = 0; i < dimensions; ++i) combinations *= kTurns;
    const unsigned kinds = 1U << dimensions;
    for (unsigned turns = 0; turns < combinations; ++turns) {
        Rule rule{.kind = Rule::Kind::grid};
        unsigned rest = turns;
        bool small = true;
        for (std::size_t i = 0; i < dimensions; ++i) {
            const std::int64_t around = (rest % kTurns == 2 ? -1 : static_cast<std::int64_t>(rest % kTurns));
            rest /= kTurns;
            const std::int64_t size = first.where.grid.sizes.at(i);
            const std::int64_t step = to.at(i) - from.at(i) + around * size;
            rule.step.at(i) = step;
            small = small && std::abs(step) <= kMostStep && 2 * std::abs(step) <= size;
        }
        for (unsigned periodic = 0; small && periodic < kinds; ++periodic) {
            bool needed = true;  // A periodic dimension without a step has no effect.
            for (std::size_t i = 0; i < dimensions; ++i) {
                rule.periodic.at(i) = (periodic >> i & 1U) != 0;
                needed = needed && (rule.step.at(i) != 0 || !rule.periodic.at(i));
            }
            if (needed) add_if_right(rule, seen, rules);
        }
    }
}

}  // namespace

std::optional<std::int64_t> Rule::value(const Where& where) const {
    if (kind == Kind::grid) return step_on(*this, where);
    const auto size = size_of(unit, where);
    if (!size) return {};
    const std::int64_t amount = factor * *size;
    switch (kind) {
        case Kind::fixed: return addend + amount;
        case Kind::from_the_end: return where.ranks - amount;
        case Kind::around: return ((where.rank + amount) % where.ranks + where.ranks) % where.ranks;
        case Kind::along: return among(where.rank + amount, where.ranks).value_or(trace::kProcNull);
        case Kind::exclusive_or: return among(where.rank ^ amount, where.ranks);
        case Kind::grid: break;
    }
    return {};
}

std::vector<Rule> rules_for(std::span<const Seen> seen, std::size_t dimensions) {
    std::vector<Rule> rules;
    add_fixed(seen, rules);
    const auto first = std::ranges::find_if(seen, [](const Seen& observation) { return observation.value >= 0; });
    if (first == seen.end()) return rules;
    // A wrap-around in the smallest run may hide a dependence that larger runs show.
    const auto largest = std::ranges::max_element(seen, {}, [](const Seen& observation) {
        return observation.value < 0 ? std::pair<std::int64_t, std::int64_t>{0, 0}
                                     : std::pair{observation.where.ranks, observation.where.round};
    });
    add_amounts(seen, *largest, rules);
    if (dimensions < 2) return rules;
    std::vector<Rule> steps;
    add_steps(seen, *largest, dimensions, steps);
    // A step along a dimension that has not grown yet is also a step by a share of all ranks.
    if (!steps.empty()) std::erase_if(rules, [](const Rule& rule) { return rule.unit == Unit::quarter_of_ranks; });
    rules.insert(rules.end(), steps.begin(), steps.end());
    return rules;
}

}  // namespace waywiser::extrapolate
