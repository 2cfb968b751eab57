#include "extrapolate/class_groups.hpp"

#include <algorithm>
#include <limits>

#include "extrapolate/misfit.hpp"
#include "trace/records/strides.hpp"

namespace waywiser::extrapolate {
namespace {

constexpr const char* kOfNodes = "MPI_Comm_split_type";
constexpr const char* kOfGrid = "MPI_Cart_sub";

/// MPI_COMM_WORLD and MPI_COMM_SELF, which no call makes.
constexpr std::size_t kPredefined = 2;

/// True if the function may make an object of some of the ranks of its communicator.
bool chooses_ranks(const std::string& function) {
    return function.find("split") != std::string::npos || function.find("_sub") != std::string::npos ||
           function.find("Comm_create") != std::string::npos;
}

std::string list_of(std::span<const std::int64_t> ranks) {
    constexpr std::size_t kMostListed = 8;
    std::string list;
    for (std::size_t i = 0; i < std::min(ranks.size(), kMostListed); ++i) {
        list += (i == 0 ? "" : ", ") + std::to_string(ranks[i]);
    }
    return list + (ranks.size() > kMostListed ? ", …" : "");
}

std::vector<std::int64_t> ranks_of(const Membership& rule, const Where& where) {
    std::vector<std::int64_t> ranks;
    if (!rule.grid(where)) return ranks;
    trace::each_member(rule.members(where), [&](std::int64_t rank) { ranks.push_back(rank); });
    return ranks;
}

std::string name_of(const Where& where) {
    return "rank " + std::to_string(where.rank) + " of " + std::to_string(where.ranks);
}

}  // namespace

ClassGroups::ClassGroups(const Vocabulary& vocabulary, const Places& places, const std::vector<ClassRun>& runs,
                         const std::vector<Where>& later)
    : vocabulary_(vocabulary), places_(places), runs_(runs), later_(later) {
    with_nodes_ = std::ranges::find(vocabulary.functions, kOfNodes) != vocabulary.functions.end();
    std::size_t numbers = std::numeric_limits<std::size_t>::max();
    for (const ClassRun& of_class : runs) {
        const Recording& run = *of_class.run;
        with_nodes_ = with_nodes_ || run.nodes > 1;
        for (const std::int64_t rank : of_class.ranks) {
            numbers = std::min(numbers, run.objects[static_cast<std::size_t>(rank)].size());
        }
    }
    const Recording& largest = *runs.back().run;
    for (const RecordedCall& recorded : largest.calls[static_cast<std::size_t>(runs.back().ranks.front())]) {
        const trace::Parameters& call = largest.forms[recorded.form].signature.parameters;
        if (call.created < 0) continue;
        makers_.try_emplace(call.created,
                            Maker{.function = vocabulary.functions[call.function], .parent = call.object});
    }
    for (std::size_t number = 0; number < numbers; ++number) known_.push_back(known(number));
}

const Membership& ClassGroups::of(const trace::Parameters& call) {
    static constexpr Membership kWorld;
    if (call.object == trace::kNone || call.action == trace::Action::free_object) return kWorld;
    const auto number = static_cast<std::size_t>(call.object);
    if (call.object < 0 || number >= known_.size()) {
        throw Misfit(vocabulary_.name(call) + ": its communicator is unknown");
    }
    Known& known = known_[number];
    if (!known.rule) {
        Misfit misfit(vocabulary_.name(call) + ": " + known.why);
        misfit.is_open = known.is_open;
        throw misfit;
    }
    known.needed = true;
    return *known.rule;
}

std::vector<std::optional<Membership>> ClassGroups::all() const {
    std::vector<std::optional<Membership>> rules;
    for (const Known& known : known_) {
        const bool idle = known.rule && known.rule->is_self() && !known.needed;
        rules.push_back(idle ? std::nullopt : known.rule);
    }
    return rules;
}

ClassGroups::Known ClassGroups::known(std::size_t number) const {
    std::vector<SeenGroup> seen;
    for (const ClassRun& of_class : runs_) {
        for (const std::int64_t rank : of_class.ranks) {
            const auto& members = of_class.run->members_of(rank, number);
            if (members.empty()) return {.why = "takes place between two groups of ranks; expected one group"};
            seen.push_back({.where = places_.at(rank, of_class.steps), .members = members});
        }
    }
    const auto maker = makers_.find(static_cast<std::int32_t>(number));
    const bool result = maker != makers_.end();
    const std::string by = result ? maker->second.function : "";
    const bool predefined = !result && number < kPredefined;
    std::vector<Membership> rules = memberships_for(seen, places_.growth.dimensions, with_nodes_ && !predefined);
    if (by == kOfGrid) std::erase_if(rules, [](const Membership& rule) { return rule.is_without_grid(); });
    if (by == kOfNodes) std::erase_if(rules, [](const Membership& rule) { return !rule.is_node(); });
    if (result && maker->second.parent >= 0) {
        const auto parent = static_cast<std::size_t>(maker->second.parent);
        if (parent >= known_.size() || !known_[parent].rule) {
            return {.why = "its communicator was made of one whose ranks follow no rule"};
        }
        const Membership& whole = *known_[parent].rule;
        if (!chooses_ranks(by) && std::ranges::find(rules, whole) != rules.end()) return {.rule = whole};
        const bool fits = !rules.empty();
        std::erase_if(rules, [&](const Membership& rule) { return !is_within(rule, whole); });
        if (fits && rules.empty()) {
            return {.why = "no rule keeps the ranks of its communicator within " + whole.text() +
                           ", of which it is a part, in larger runs: record runs on several nodes",
                    .is_open = true};
        }
    }
    if (rules.empty()) return {.why = misfit(seen)};
    std::string why = disagreement(rules);
    if (why.empty()) why = unknown_growth(rules.front(), seen);
    if (!why.empty()) return {.why = std::move(why), .is_open = true};
    // Nodes with another number of ranks would tell it from the other rules, so that they must not have one.
    const auto by_node = std::ranges::find(rules, Membership::Division::nodes, &Membership::division);
    return {.rule = by_node != rules.end() ? *by_node : rules.front()};
}

/// Text if the rules give different groups in larger runs.
std::string ClassGroups::disagreement(const std::vector<Membership>& rules) const {
    const Membership& first = rules.front();
    if (rules.size() == 1) return {};
    for (const Where& where : later_) {
        for (const Membership& rule : rules) {
            if (ranks_of(rule, where) == ranks_of(first, where)) continue;
            return "the ranks of its communicator may be " + first.text() + " or " + rule.text() +
                   " by what the runs show, which differ for " + name_of(where) +
                   ": record a larger run, or runs on several nodes";
        }
    }
    return {};
}

/// Text on the first group that no rule gives which gives all groups before it.
std::string ClassGroups::misfit(const std::vector<SeenGroup>& seen) const {
    std::size_t most = 0;
    for (std::size_t end = 1; end <= seen.size(); ++end) {
        if (memberships_for({seen.data(), end}, places_.growth.dimensions, with_nodes_).empty()) break;
        most = end;
    }
    const SeenGroup& odd = seen[std::min(most, seen.size() - 1)];
    return "the ranks that " + name_of(odd.where) + " shares its communicator with (" + list_of(odd.members) +
           ") follow no rule that holds in all runs; expected all ranks, rows, columns or planes of a grid, blocks of "
           "ranks, every n-th rank, or those of a node";
}

/// Text if a dimension of the grid that tells the groups is the same in all runs, and grows later.
std::string ClassGroups::unknown_growth(const Membership& rule, const std::vector<SeenGroup>& seen) const {
    const auto size = [&](const Where& where) { return rule.within(where).ranks; };
    const auto groups = [&](const Where& where) { return where.ranks / size(where); };
    const auto grows = [&](const auto& number) {
        const auto first = number(seen.front().where);
        const auto same = [&](const Where& where) { return number(where) == first; };
        return std::ranges::all_of(seen, same, &SeenGroup::where) && !std::ranges::all_of(later_, same);
    };
    if (rule.division != Membership::Division::dimensions || (!grows(size) && !grows(groups))) return {};
    const auto last = static_cast<unsigned>(runs_.size() - 1);
    return "its communicator depends on the grid, of which a dimension is the same in all runs (" +
           places_.growth.text(last) + "): record the run of " + std::to_string(places_.growth.ranks(last + 1)) +
           " ranks, too";
}

/// True if all members of each group belong to one group of the parent in all larger runs.
bool ClassGroups::is_within(const Membership& rule, const Membership& parent) const {
    if (parent.is_world()) return true;
    return std::ranges::all_of(later_, [&](const Where& where) {
        if (!rule.grid(where) || !parent.grid(where)) return false;
        bool within = true;
        const std::int64_t first = parent.first(where);
        trace::each_member(rule.members(where), [&](std::int64_t rank) {
            Where member = where;
            member.rank = rank;
            within = within && parent.first(member) == first;
        });
        return within;
    });
}

}  // namespace waywiser::extrapolate
