#include "extrapolate/attempt.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <limits>
#include <set>

namespace waywiser::extrapolate {

using trace::Parameters;

namespace {

/// Number of different calls of one place beyond which it counts as irregular.
constexpr std::uint64_t kMostChoices = 4096;

/// Number of larger runs in which rules that agree so far must also agree: by then each dimension of a grid has
/// doubled.
constexpr unsigned kFutureRuns = 3;

constexpr std::array kFieldNames = {"partner", "tag", "source", "tag of the source"};

/// The value whose distance from its rank is the rarest in the run.
const Seen& oddest(const std::vector<Seen>& seen) {
    const auto distance = [](const Seen& one) {
        const std::int64_t ranks = one.where.ranks;
        return std::pair(ranks, one.value < 0 ? one.value : (one.value - one.where.rank + ranks) % ranks);
    };
    std::map<std::pair<std::int64_t, std::int64_t>, std::size_t> times;
    for (const Seen& one : seen) ++times[distance(one)];
    return *std::ranges::min_element(seen, {}, [&](const Seen& one) { return times[distance(one)]; });
}

/// Tries one assumption on the growth of the grid and on the classes of ranks.
class Attempt {
public:
    Attempt(const Vocabulary& vocabulary, const std::vector<Recording>& runs, const std::vector<RunLoops>& loops,
            Classes classes, const Growth& growth)
        : vocabulary_(vocabulary), runs_(runs), loops_(loops), classes_(classes), growth_(growth) {}

    /// \throws Misfit
    [[nodiscard]] std::map<std::uint32_t, ClassPattern> pattern() {
        divide();
        for (const auto& [number, of_class] : members_) {
            places_ += occurrences_of(*of_class.back().parts).size();
        }
        std::map<std::uint32_t, ClassPattern> found;
        for (const auto& [number, of_class] : members_) found.emplace(number, of(number, of_class));
        check_dimensions();
        return found;
    }

private:
    [[noreturn]] void fail(const std::string& why) const {
        throw Misfit(places_ == 0 ? 0 : static_cast<double>(explained_) / static_cast<double>(places_), why);
    }

    /// Divides the ranks of each run into classes with the same calls.
    void divide() {
        for (unsigned doublings = 0; doublings < runs_.size(); ++doublings) {
            const Recording& run = runs_[doublings];
            const Grid grid = growth_.after(doublings);
            for (std::int64_t rank = 0; rank < run.ranks; ++rank) {
                auto& of_class = members_[class_of(classes_, rank, grid)];
                if (of_class.empty() || of_class.back().run != &run) {
                    of_class.push_back(
                        {.run = &run, .doublings = doublings, .parts = &loops_[doublings].of(rank), .ranks = {}});
                }
                ClassRun& alike = of_class.back();
                if (alike.parts != &loops_[doublings].of(rank)) {
                    fail(first_difference(run, alike.ranks.front(), run, rank, vocabulary_));
                }
                alike.ranks.push_back(rank);
            }
        }
        for (unsigned doublings = 0; doublings < runs_.size() + kFutureRuns; ++doublings) {
            const std::int64_t ranks = runs_.front().ranks << doublings;
            const Grid grid = growth_.after(doublings);
            for (std::int64_t rank = 0; rank < ranks; ++rank) {
                const auto found = members_.find(class_of(classes_, rank, grid));
                if (found == members_.end() || found->second.size() < runs_.size()) {
                    fail("ranks inside a grid of " + growth_.text(doublings) +
                         " do what no rank of a smaller run does: record larger runs");
                }
                if (doublings >= runs_.size()) future_[found->first].push_back(where(rank, doublings));
            }
        }
    }

    [[nodiscard]] Where where(std::int64_t rank, unsigned doublings, std::int64_t round = 0) const {
        return {
            .rank = rank, .ranks = runs_.front().ranks << doublings, .round = round, .grid = growth_.after(doublings)};
    }

    ClassPattern of(std::uint32_t number, const std::vector<ClassRun>& runs) {
        ClassPattern made;
        std::vector<std::vector<Part>> loops;
        std::vector<const std::vector<Part>*> trees;
        loops.reserve(runs.size());
        trees.reserve(runs.size());
        for (const ClassRun& run : runs) {
            auto found = alike(*run.parts, *runs.back().parts);
            if (!found) {
                fail("the loops are not the same in all runs: " +
                     first_difference(*run.run, run.ranks.front(), *runs.back().run, runs.back().ranks.front(),
                                      vocabulary_));
            }
            loops.push_back(std::move(*found));
            trees.push_back(&loops.back());
        }
        std::vector<Count> around;
        std::vector<std::vector<Count>> counts;  // counts of the loops around each place, the innermost first
        made.parts = parts_of(trees, around, counts);
        made.ranks = runs.back().ranks;
        std::vector<std::vector<Occurrences>> places;
        places.reserve(runs.size());
        for (const auto* tree : trees) places.push_back(occurrences_of(*tree));
        double computing_ns = 0;
        for (std::size_t place = 0; place < counts.size(); ++place) {
            std::vector<const Occurrences*> at;
            at.reserve(runs.size());
            for (const auto& of_run : places) at.push_back(&of_run[place]);
            made.calls.push_back(call_of(number, runs, at, counts[place]));
            computing_ns += made.calls.back().share;
            ++explained_;
        }
        for (CallPattern& call : made.calls) {
            if (computing_ns > 0) call.share /= computing_ns;
            if (call.share < kLeastShare) call.time = {.factor = 1};
        }
        return made;
    }

    std::vector<PartPattern> parts_of(const std::vector<const std::vector<Part>*>& trees, std::vector<Count>& around,
                                      std::vector<std::vector<Count>>& counts) {
        std::vector<PartPattern> made;
        for (std::size_t i = 0; i < trees.front()->size(); ++i) {
            PartPattern part;
            const Part& first = (*trees.front())[i];
            if (!first.is_loop()) {
                part.call = counts.size();
                counts.emplace_back(around.rbegin(), around.rend());
                made.push_back(std::move(part));
                continue;
            }
            std::vector<std::int64_t> seen;
            std::vector<const std::vector<Part>*> bodies;
            for (const auto* tree : trees) {
                seen.push_back(static_cast<std::int64_t>((*tree)[i].count));
                bodies.push_back(&(*tree)[i].body);
            }
            const auto count = count_for(seen, runs_.front().ranks);
            if (!count) {
                std::string list;
                for (const std::int64_t one : seen) list += (list.empty() ? "" : ", ") + std::to_string(one);
                fail("a loop runs " + list + " times, which follows no law of the number of ranks");
            }
            part.count = *count;
            part.recorded_count = static_cast<std::uint64_t>(seen.back());
            around.push_back(*count);
            part.body = parts_of(bodies, around, counts);
            around.pop_back();
            made.push_back(std::move(part));
        }
        return made;
    }

    CallPattern call_of(std::uint32_t number, const std::vector<ClassRun>& runs,
                        const std::vector<const Occurrences*>& at, const std::vector<Count>& counts) {
        CallPattern made;
        std::size_t levels = 0;
        for (std::size_t i = 0; i < runs.size(); ++i) levels = std::max(levels, levels_of(runs[i], *at[i]));
        std::uint64_t choices = 1;
        for (std::size_t level = 0; level < levels; ++level) {
            made.by_round = made.by_round || counts[level].grows();
            choices *= at.front()->counts[level];
        }
        if (made.by_round && levels > 1) fail(named(runs.back(), *at.back()) + " changes in loops of growing length");
        if (made.by_round) choices = 1;
        if (choices > kMostChoices) fail(named(runs.back(), *at.back()) + " is irregular");
        for (std::uint64_t choice = 0; choice < choices; ++choice) {
            made.choices.push_back(choice_of(number, runs, at, made.by_round ? counts.front() : Count{}, choice));
        }
        time_of(made, runs, at);
        return made;
    }

    /// Number of loops around a place, from the innermost one, that determine the place's call.
    [[nodiscard]] std::size_t levels_of(const ClassRun& run, const Occurrences& at) const {
        std::uint64_t period = 1;
        for (std::size_t level = 0;; ++level) {
            const bool tells = std::ranges::all_of(run.ranks, [&](std::int64_t rank) {
                const auto& calls = run.run->calls[static_cast<std::size_t>(rank)];
                for (std::size_t o = period; o < at.positions.size(); ++o) {
                    if (calls[at.positions[o]].form != calls[at.positions[o - period]].form) return false;
                }
                return true;
            });
            if (tells || level == at.counts.size()) return level;
            period *= at.counts[level];
        }
    }

    /// \param rounds  1, unless a choice covers all rounds
    Choice choice_of(std::uint32_t number, const std::vector<ClassRun>& runs, const std::vector<const Occurrences*>& at,
                     const Count& rounds, std::uint64_t choice) {
        std::array<std::vector<Seen>, 4> seen;
        std::array<std::array<std::vector<Seen>, 2>, 2> sizes;  // sizes elsewhere, and at roots
        Choice made;
        for (std::size_t i = 0; i < runs.size(); ++i) {
            const ClassRun& run = runs[i];
            for (std::int64_t round = 0; round < rounds.at(run.run->ranks, run.doublings); ++round) {
                for (const std::int64_t rank : run.ranks) {
                    const std::size_t position = at[i]->positions[choice + static_cast<std::uint64_t>(round)];
                    const RecordedCall& recorded = run.run->calls[static_cast<std::size_t>(rank)][position];
                    const Parameters& call = run.run->forms[recorded.form].signature.parameters;
                    made.call = call;
                    const Where place = where(rank, run.doublings, round);
                    std::size_t field = 0;
                    for (const std::int32_t* value : placed_fields(call)) seen.at(field++).push_back({place, *value});
                    const bool root = call.action == trace::Action::collective && call.peer == rank;
                    auto& [bytes, posted] = sizes.at(root ? 1 : 0);
                    // A send to MPI_PROC_NULL sends nothing.
                    if (call.peer != trace::kProcNull) bytes.push_back({place, static_cast<std::int64_t>(call.bytes)});
                    if (call.source != trace::kProcNull) {
                        posted.push_back({place, static_cast<std::int64_t>(call.posted)});
                    }
                }
            }
        }
        for (std::size_t field = 0; field < made.rules.size(); ++field) {
            made.rules.at(field) = rule_of(number, seen.at(field), made.call, kFieldNames.at(field), rounds);
        }
        const auto fit = [&](const std::array<std::vector<Seen>, 2>& of) {
            return Sizes{.bytes = size_of(of[0], made.call, "sends"), .posted = size_of(of[1], made.call, "receives")};
        };
        const bool roots_alone = sizes[0][0].empty() && !sizes[1][0].empty();
        made.sizes = fit(sizes.at(roots_alone ? 1 : 0));
        if (sizes[1][0].empty() || roots_alone) return made;
        if (rounds.grows()) fail(vocabulary_.name(made.call) + ": another root in each of more and more rounds");
        made.at_root = fit(sizes[1]);
        return made;
    }

    Rule rule_of(std::uint32_t number, const std::vector<Seen>& seen, const Parameters& call, const char* field,
                 const Count& rounds) {
        const std::vector<Rule> found = rules_for(seen, growth_.dimensions);
        const std::string name = vocabulary_.name(call) + ": ";
        if (found.empty()) {
            const Seen& odd = oddest(seen);
            fail(name + "the " + field + " of rank " + std::to_string(odd.where.rank) + " of " +
                 std::to_string(odd.where.ranks) + " (" + std::to_string(odd.value) +
                 ") and those of the other ranks follow no rule that holds in all runs");
        }
        for (Where place : future_.at(number)) {
            const auto doublings = static_cast<unsigned>(
                std::bit_width(static_cast<std::uint64_t>(place.ranks / runs_.front().ranks)) - 1);
            const std::int64_t last = rounds.at(place.ranks, doublings);
            for (place.round = 0; place.round < last; ++place.round) {
                const auto value = found.front().value(place);
                const auto agrees = [&](const Rule& rule) { return rule.value(place) == value; };
                if (value && std::ranges::all_of(found, agrees)) continue;
                fail(name + "the " + field + " of rank " + std::to_string(place.rank) + " of " +
                     std::to_string(place.ranks) +
                     " may be one or another by what the runs show: record a larger one, too");
            }
        }
        return found.front();
    }

    Scaling size_of(const std::vector<Seen>& seen, const Parameters& call, const char* does) {
        if (seen.empty()) return {};
        const std::string name = vocabulary_.name(call) + ": ";
        std::set<std::int64_t> of_runs;
        for (const Seen& one : seen) of_runs.insert(one.where.ranks);
        if (of_runs.size() < runs_.size())
            fail(name + "nobody " + does + " that in the smallest run: record larger ones");
        std::map<std::pair<std::int64_t, std::int64_t>, const Seen*> of_all;
        std::vector<Seen> once;
        for (const Seen& one : seen) {
            const auto [at, added] = of_all.try_emplace({one.where.ranks, one.where.round}, &one);
            if (added) once.push_back(one);
            if (at->second->value == one.value) continue;
            fail(name + "rank " + std::to_string(at->second->where.rank) + " of " + std::to_string(one.where.ranks) +
                 " " + does + " " + std::to_string(at->second->value) + " B, rank " + std::to_string(one.where.rank) +
                 " " + std::to_string(one.value) + " B");
        }
        const auto found = scaling_of_sizes(once, growth_.dimensions);
        if (!found) {
            fail(name + "its sizes follow no law of the number of ranks (" + std::to_string(once.front().value) +
                 " B on " + std::to_string(once.front().where.ranks) + ", " + std::to_string(once.back().value) +
                 " B on " + std::to_string(once.back().where.ranks) + ")");
        }
        const auto& among = found->shared_among;
        by_dimension_ = by_dimension_ || std::ranges::any_of(among, [](bool one) { return one; });
        return *found;
    }

    /// Checks that each dimension has grown: otherwise its influence is unknown.
    void check_dimensions() const {
        const auto last = static_cast<unsigned>(runs_.size() - 1);
        if (by_dimension_ && growth_.turn.size() >= runs_.size()) {
            fail("sizes depend on the grid, of which a dimension is the same in all runs (" + growth_.text(last) +
                 "): record the run of " + std::to_string(runs_.back().ranks * 2) + " ranks, too");
        }
    }

    void time_of(CallPattern& made, const std::vector<ClassRun>& runs,
                 const std::vector<const Occurrences*>& at) const {
        // Limits the mean to rounds that all runs have: additional rounds would change it by themselves.
        std::uint64_t rounds = std::numeric_limits<std::uint64_t>::max();
        for (const Occurrences* of_run : at) rounds = std::min(rounds, of_run->counts.empty() ? 1 : of_run->counts[0]);
        std::vector<std::pair<Where, double>> means;
        for (std::size_t i = 0; i < runs.size(); ++i) {
            const std::uint64_t own_rounds = at[i]->counts.empty() ? 1 : at[i]->counts[0];
            double sum_ns = 0;
            double common_ns = 0;
            double calls_in_common = 0;
            for (const std::int64_t rank : runs[i].ranks) {
                const auto& calls = runs[i].run->calls[static_cast<std::size_t>(rank)];
                for (std::size_t o = 0; o < at[i]->positions.size(); ++o) {
                    const auto ns = static_cast<double>(calls[at[i]->positions[o]].gap_ns);
                    sum_ns += ns;
                    if (o % own_rounds >= rounds) continue;
                    common_ns += ns;
                    ++calls_in_common;
                }
            }
            means.emplace_back(where(0, runs[i].doublings), common_ns / calls_in_common);
            made.share = sum_ns / static_cast<double>(runs[i].ranks.size());  // finally the share in the largest run
        }
        made.time = scaling_of_times(means);
    }

    [[nodiscard]] std::string named(const ClassRun& run, const Occurrences& at) const {
        const auto& calls = run.run->calls[static_cast<std::size_t>(run.ranks.front())];
        return vocabulary_.name(run.run->forms[calls[at.positions.front()].form].signature.parameters) + " of rank " +
               std::to_string(run.ranks.front()) + " of " + std::to_string(run.run->ranks);
    }

    /// Share of a class's computation below which a place gets no law of its own.
    static constexpr double kLeastShare = 0.01;

    const Vocabulary& vocabulary_;
    const std::vector<Recording>& runs_;
    const std::vector<RunLoops>& loops_;
    Classes classes_;
    const Growth& growth_;
    std::map<std::uint32_t, std::vector<ClassRun>> members_;
    std::map<std::uint32_t, std::vector<Where>> future_;  ///< ranks of the class in larger runs
    std::size_t places_ = 0;
    std::size_t explained_ = 0;
    bool by_dimension_ = false;
};

}  // namespace

std::map<std::uint32_t, ClassPattern> attempt(const Vocabulary& vocabulary, const std::vector<Recording>& runs,
                                              const std::vector<RunLoops>& loops, Classes classes,
                                              const Growth& growth) {
    return Attempt(vocabulary, runs, loops, classes, growth).pattern();
}

}  // namespace waywiser::extrapolate
