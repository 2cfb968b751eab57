#include "extrapolate/call_rules.hpp"

#include <algorithm>
#include <cmath>
#include <set>

#include "extrapolate/misfit.hpp"

namespace waywiser::extrapolate {

using trace::Parameters;

namespace {

/// Relative difference of two laws' sizes that comes from rounding.
constexpr double kSame = 1e-9;

constexpr std::array kFieldNames = {"partner", "tag", "source", "tag of the source"};

/// The value whose distance from its rank is the rarest in the run.
const Seen& oddest(const std::vector<Seen>& seen) {
    const auto distance = [](const Seen& observation) {
        const std::int64_t ranks = observation.where.ranks;
        return std::pair(ranks, observation.value < 0 ? observation.value
                                                      : (observation.value - observation.where.rank + ranks) % ranks);
    };
    std::map<std::pair<std::int64_t, std::int64_t>, std::size_t> times;
    for (const Seen& observation : seen) ++times[distance(observation)];
    return *std::ranges::min_element(seen, {}, [&](const Seen& observation) { return times[distance(observation)]; });
}

/// The size whose law is found: all that a call sends or receives, or the part of another rank.
std::int64_t fitted_size(const Parameters& call, std::uint64_t bytes, const Where& where) {
    return static_cast<std::int64_t>(bytes / static_cast<std::uint64_t>(parts_in(call, where.group)));
}

/// True if ranks differ in their size in the same round of the same run.
bool differ(const std::vector<Seen>& seen) {
    std::map<std::pair<std::int64_t, std::int64_t>, std::int64_t> sizes;  // by ranks and round
    return std::ranges::any_of(seen, [&](const Seen& observation) {
        return sizes.try_emplace({observation.where.ranks, observation.where.round}, observation.value).first->second !=
               observation.value;
    });
}

/// The sizes of boxes with so many faces, for which the round says nothing more.
std::vector<Seen> with_faces(std::size_t faces, const Box& box, const std::vector<Seen>& seen) {
    std::vector<Seen> sizes;
    for (const Seen& observation : seen) {
        if (box.faces(observation.where) != faces) continue;
        sizes.push_back(observation);
        sizes.back().where.round = 0;
    }
    return sizes;
}

std::string text_of(const Where& where, const Choice& choice) {
    return "rank " + std::to_string(where.rank) + " of " + std::to_string(where.ranks) +
           (choice.group.is_world() ? "" : " in its communicator");
}

}  // namespace

Choice CallRules::choice(const std::vector<const Occurrences*>& at, const CallPattern& of, const Count& rounds,
                         std::uint64_t number) {
    std::array<std::vector<Seen>, 4> seen;
    std::array<SeenSizes, 2> sizes;  // sizes elsewhere, and at roots
    Choice result;
    for (std::size_t i = 0; i < runs_.size(); ++i) {
        const ClassRun& run = runs_[i];
        for (std::int64_t round = 0; round < rounds.at(run.run->ranks, run.steps); ++round) {
            const std::size_t position = at[i]->positions[at[i]->index(of.levels, number) +
                                                          at[i]->index(of.growing, static_cast<std::uint64_t>(round))];
            for (const std::int64_t rank : run.ranks) {
                const RecordedCall& recorded = run.run->calls[static_cast<std::size_t>(rank)][position];
                const Parameters& call = run.run->forms[recorded.form].signature.parameters;
                result.call = call;
                result.group = groups_.of(call);
                Where place = places_.at(rank, run.steps, round);
                const Where inside = result.group.within(place);
                place.group = inside.ranks;
                std::size_t field = 0;
                for (const std::int32_t* value : placed_fields(call)) seen.at(field++).push_back({inside, *value});
                const bool root = call.action == trace::Action::collective && call.peer == inside.rank;
                auto& [bytes, posted] = sizes.at(root ? 1 : 0);
                // A send to MPI_PROC_NULL sends nothing, nor does a part for others where there are none.
                if (keeps_own_part(call) && place.group == 1) continue;
                if (call.peer != trace::kProcNull) bytes.push_back({place, fitted_size(call, call.bytes, place)});
                if (call.source != trace::kProcNull) posted.push_back({place, fitted_size(call, call.posted, place)});
            }
        }
    }
    for (std::size_t field = 0; field < result.rules.size(); ++field) {
        result.rules.at(field) = rule_of(seen.at(field), result, kFieldNames.at(field), rounds);
    }
    const bool roots_alone = sizes[0][0].empty() && !sizes[1][0].empty();
    if (rounds.grows() && sizes[1][0].empty() && std::ranges::any_of(sizes[0], differ)) {
        find_sizes_of_boxes(sizes[0], rounds, result);
        return result;
    }
    result.sizes = sizes_of(sizes.at(roots_alone ? 1 : 0), result);
    if (sizes[1][0].empty() || roots_alone) return result;
    if (rounds.grows()) {
        throw Misfit(vocabulary_.name(result.call) + ": another root in each of more and more rounds");
    }
    result.at_root = sizes_of(sizes[1], result);
    return result;
}

Sizes CallRules::sizes_of(const SeenSizes& seen, const Choice& choice) {
    return {.bytes = size_of(seen[0], choice, "sends"), .posted = size_of(seen[1], choice, "receives")};
}

void CallRules::find_sizes_of_boxes(const SeenSizes& seen, const Count& rounds, Choice& choice) {
    const auto differing = std::ranges::find_if(seen, differ);
    choice.box = box_of(*differing, choice, rounds);
    for (std::size_t faces = 0; faces < kNumbersOfFaces; ++faces) {
        choice.by_faces.push_back(
            sizes_of({with_faces(faces, *choice.box, seen[0]), with_faces(faces, *choice.box, seen[1])}, choice));
    }
    choice.sizes = choice.by_faces.front();
}

std::int64_t CallRules::rounds_at(const Count& rounds, const Where& where) const {
    return rounds.at(where.ranks, places_.growth.steps(where.ranks).value_or(0));
}

/// The rule that tells the box of a round.
Box CallRules::box_of(const std::vector<Seen>& seen, const Choice& choice, const Count& rounds) const {
    const std::string name = vocabulary_.name(choice.call) + ": ";
    const std::vector<Box> boxes = boxes_for(seen);
    if (boxes.empty() || std::ranges::any_of(choice.rules, &Rule::is_by_round)) {
        throw Misfit(name +
                     "its sizes differ from rank to rank and from round to round, but not as those of a "
                     "rank's boxes in a cube");
    }
    for (Where place : later_) {
        const std::int64_t last = rounds_at(rounds, place);
        for (place.round = 0; place.round < last; ++place.round) {
            const std::size_t faces = boxes.front().faces(place);
            const auto agrees = [&](const Box& box) { return box.faces(place) == faces; };
            if (std::ranges::all_of(boxes, agrees)) continue;
            throw Misfit(name + "the box that " + text_of(place, choice) +
                         " sends may be one or another by what the runs show: record a larger one, too");
        }
    }
    return boxes.front();
}

Rule CallRules::rule_of(const std::vector<Seen>& seen, const Choice& choice, const char* field,
                        const Count& rounds) const {
    const std::vector<Rule> rules = rules_for(seen, choice.group.dimensions(places_.growth.dimensions));
    const std::string name = vocabulary_.name(choice.call) + ": the " + field + " of ";
    if (rules.empty()) {
        const Seen& odd = oddest(seen);
        throw Misfit(name + text_of(odd.where, choice) + " (" + std::to_string(odd.value) +
                     ") and those of the other ranks follow no rule that holds in all runs");
    }
    const bool by_round = std::ranges::any_of(rules, &Rule::is_by_round);
    for (Where place : later_) {
        const std::int64_t last = by_round ? rounds_at(rounds, place) : 1;
        for (place.round = 0; place.round < last; ++place.round) {
            const Where inside = choice.group.within(place);
            const auto value = rules.front().value(inside);
            const auto agrees = [&](const Rule& rule) { return rule.value(inside) == value; };
            if (value && std::ranges::all_of(rules, agrees)) continue;
            throw Misfit(name + text_of(inside, choice) +
                         " may be one or another by what the runs show: record a larger one, too");
        }
    }
    return rules.front();
}

Scaling CallRules::size_of(const std::vector<Seen>& seen, const Choice& choice, const char* does) {
    if (seen.empty()) return {};
    const std::string name = vocabulary_.name(choice.call) + ": ";
    std::set<std::int64_t> of_runs;
    for (const Seen& observation : seen) of_runs.insert(observation.where.ranks);
    if (of_runs.size() < runs_.size()) {
        throw Misfit(name + "nobody " + does + " that in the smallest run: record larger ones");
    }
    std::map<std::pair<std::int64_t, std::int64_t>, const Seen*> of_all;
    std::vector<Seen> once;
    for (const Seen& observation : seen) {
        const auto [at, added] = of_all.try_emplace({observation.where.ranks, observation.where.round}, &observation);
        if (added) once.push_back(observation);
        if (at->second->value == observation.value) continue;
        throw Misfit(name + "rank " + std::to_string(at->second->where.rank) + " of " +
                     std::to_string(observation.where.ranks) + " " + does + " " + std::to_string(at->second->value) +
                     " B, rank " + std::to_string(observation.where.rank) + " " + std::to_string(observation.value) +
                     " B");
    }
    const std::vector<Scaling> laws = scalings_of_sizes(once, places_.growth.dimensions, !choice.group.is_world());
    if (laws.empty()) {
        throw Misfit(name + "its sizes follow no law of the number of ranks (" + std::to_string(once.front().value) +
                     " B on " + std::to_string(once.front().where.ranks) + ", " + std::to_string(once.back().value) +
                     " B on " + std::to_string(once.back().where.ranks) + ")");
    }
    if (!choice.group.is_world()) check_later(laws, choice);
    const auto& among = laws.front().shared_among;
    by_dimension_ = by_dimension_ || std::ranges::any_of(among, [](bool shared) { return shared; });
    return laws.front();
}

/// Checks that all laws of a call in a part of the ranks agree in larger runs.
void CallRules::check_later(const std::vector<Scaling>& laws, const Choice& choice) const {
    for (Where place : later_) {
        place.group = choice.group.within(place).ranks;
        const double size = laws.front().at(place);
        for (const Scaling& law : laws) {
            if (std::abs(law.at(place) - size) <= kSame * size) continue;
            throw Misfit(vocabulary_.name(choice.call) + ": its sizes may be \"" + laws.front().text() + "\" or \"" +
                         law.text() + "\" by what the runs show: record the run of " +
                         std::to_string(places_.growth.ranks(runs_.back().steps + 1)) + " ranks, too");
        }
    }
}

}  // namespace waywiser::extrapolate
