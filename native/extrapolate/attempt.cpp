#include "extrapolate/attempt.hpp"

#include <algorithm>
#include <limits>

#include "extrapolate/call_rules.hpp"

namespace waywiser::extrapolate {

using trace::Parameters;

namespace {

/// Number of different calls of one place beyond which it counts as irregular.
constexpr std::uint64_t kMostChoices = 4096;

/// Number of doublings of the ranks in which rules that agree so far must also agree: by then each dimension of a grid
/// has doubled.
constexpr unsigned kLaterDoublings = 3;

/// The places of ranks under an assumption. The recorded runs may have one number of ranks on a node, which later ones
/// keep, or several: then larger runs tell what depends on it, with larger nodes.
Places places_of(const std::vector<Recording>& runs, const Growth& growth) {
    Places places{.growth = growth, .per_node = {}};
    for (const Recording& run : runs) places.per_node.push_back(run.per_node);
    const auto [least, most] = std::ranges::minmax(places.per_node);
    places.per_node.push_back(least == most ? most : least == 0 ? 0 : 2 * most);
    return places;
}

/// Tries one assumption on the growth of the grid and on the classes of ranks.
class Attempt {
public:
    Attempt(const Vocabulary& vocabulary, const std::vector<Recording>& runs, const std::vector<RunLoops>& loops,
            Classes classes, const Growth& growth)
        : vocabulary_(vocabulary),
          runs_(runs),
          loops_(loops),
          classes_(classes),
          growth_(growth),
          places_(places_of(runs, growth)) {}

    /// \throws Misfit
    [[nodiscard]] std::map<std::uint32_t, ClassPattern> pattern() {
        std::map<std::uint32_t, ClassPattern> patterns;
        try {
            divide();
            for (const auto& [number, of_class] : members_) all_ += occurrences_of(*of_class.back().parts).size();
            for (const auto& [number, of_class] : members_) patterns.emplace(number, of(number, of_class));
            check_dimensions();
        } catch (Misfit& misfit) {
            // The misfit with a rule for all runs is the closer one of two at the same place.
            const double places = static_cast<double>(explained_) + (misfit.is_open ? 0.5 : 0);
            misfit.explained = all_ == 0 ? 0 : places / static_cast<double>(all_);
            throw;
        }
        return patterns;
    }

private:
    [[noreturn]] static void fail(const std::string& why) { throw Misfit(why); }

    /// Divides the ranks of each run into classes with the same calls.
    void divide() {
        for (unsigned steps = 0; steps < runs_.size(); ++steps) {
            const Recording& run = runs_[steps];
            const Grid grid = growth_.after(steps);
            for (std::int64_t rank = 0; rank < run.ranks; ++rank) {
                auto& of_class = members_[class_of(classes_, rank, grid)];
                if (of_class.empty() || of_class.back().run != &run) {
                    of_class.push_back({.run = &run, .steps = steps, .parts = &loops_[steps].of(rank), .ranks = {}});
                }
                ClassRun& alike = of_class.back();
                if (alike.parts != &loops_[steps].of(rank)) {
                    fail(first_difference(run, alike.ranks.front(), run, rank, vocabulary_));
                }
                alike.ranks.push_back(rank);
            }
        }
        const unsigned later = (kLaterDoublings + growth_.doublings - 1) / growth_.doublings;
        for (unsigned steps = 0; steps < runs_.size() + later; ++steps) {
            const std::int64_t ranks = growth_.ranks(steps);
            const Grid grid = growth_.after(steps);
            for (std::int64_t rank = 0; rank < ranks; ++rank) {
                const auto members = members_.find(class_of(classes_, rank, grid));
                if (members == members_.end() || members->second.size() < runs_.size()) {
                    fail("ranks inside a grid of " + growth_.text(steps) +
                         " do what no rank of a smaller run does: record larger runs");
                }
                if (steps >= runs_.size()) later_[members->first].push_back(places_.at(rank, steps));
            }
        }
    }

    ClassPattern of(std::uint32_t number, const std::vector<ClassRun>& runs) {
        ClassPattern result;
        std::vector<std::vector<Part>> loops;
        std::vector<const std::vector<Part>*> trees;
        loops.reserve(runs.size());
        trees.reserve(runs.size());
        for (const ClassRun& run : runs) {
            auto parts = alike(*run.parts, *runs.back().parts);
            if (!parts) {
                fail("the loops are not the same in all runs: " +
                     first_difference(*run.run, run.ranks.front(), *runs.back().run, runs.back().ranks.front(),
                                      vocabulary_));
            }
            loops.push_back(std::move(*parts));
            trees.push_back(&loops.back());
        }
        std::vector<Count> around;
        std::vector<std::vector<Count>> counts;  // counts of the loops around each place, the innermost first
        result.parts = parts_of(trees, around, counts);
        by_side_ = std::ranges::any_of(counts, [](const std::vector<Count>& of_place) {
            return std::ranges::any_of(of_place, [](const Count& count) { return count.per_root != 0; });
        });
        result.ranks = runs.back().ranks;
        std::vector<std::vector<Occurrences>> places;
        places.reserve(runs.size());
        for (const auto* tree : trees) places.push_back(occurrences_of(*tree));
        ClassGroups groups(vocabulary_, places_, runs, later_.at(number));
        CallRules rules(vocabulary_, places_, runs, later_.at(number), groups);
        double computation_ns = 0;
        for (std::size_t place = 0; place < counts.size(); ++place) {
            std::vector<const Occurrences*> at;
            at.reserve(runs.size());
            for (const auto& of_run : places) at.push_back(&of_run[place]);
            result.calls.push_back(call_of(rules, runs, at, counts[place]));
            computation_ns += result.calls.back().share;
            ++explained_;
        }
        by_dimension_ = by_dimension_ || rules.by_dimension();
        result.groups = groups.all();
        for (CallPattern& call : result.calls) {
            if (computation_ns > 0) call.share /= computation_ns;
            if (call.share < kLeastShare) call.time = {.factor = 1};
        }
        return result;
    }

    std::vector<PartPattern> parts_of(const std::vector<const std::vector<Part>*>& trees, std::vector<Count>& around,
                                      std::vector<std::vector<Count>>& counts) {
        std::vector<PartPattern> result;
        for (std::size_t i = 0; i < trees.front()->size(); ++i) {
            PartPattern part;
            const Part& first = (*trees.front())[i];
            if (!first.is_loop()) {
                part.call = counts.size();
                counts.emplace_back(around.rbegin(), around.rend());
                result.push_back(std::move(part));
                continue;
            }
            std::vector<std::int64_t> seen;
            std::vector<const std::vector<Part>*> bodies;
            for (const auto* tree : trees) {
                seen.push_back(static_cast<std::int64_t>((*tree)[i].count));
                bodies.push_back(&(*tree)[i].body);
            }
            const auto count = count_for(seen, growth_);
            if (!count) {
                std::string list;
                for (const std::int64_t times : seen) list += (list.empty() ? "" : ", ") + std::to_string(times);
                fail("a loop runs " + list + " times, which follows no law of the number of ranks");
            }
            part.count = *count;
            part.recorded_count = static_cast<std::uint64_t>(seen.back());
            around.push_back(*count);
            part.body = parts_of(bodies, around, counts);
            around.pop_back();
            result.push_back(std::move(part));
        }
        return result;
    }

    CallPattern call_of(CallRules& rules, const std::vector<ClassRun>& runs, const std::vector<const Occurrences*>& at,
                        const std::vector<Count>& counts) {
        CallPattern result;
        Count rounds;
        std::uint64_t choices = 1;
        for (std::size_t level = 0; level < counts.size(); ++level) {
            bool changes = false;
            for (std::size_t i = 0; i < runs.size(); ++i) changes = changes || changes_in(level, runs[i], *at[i]);
            if (!changes) continue;
            (counts[level].grows() ? result.growing : result.levels).push_back(level);
            if (counts[level].grows())
                rounds = counts[level];
            else
                choices *= at.front()->counts[level];
        }
        if (result.growing.size() > 1) {
            fail(named(runs.back(), *at.back()) + " changes in several loops of growing length");
        }
        if (choices > kMostChoices) fail(named(runs.back(), *at.back()) + " is irregular");
        for (std::uint64_t choice = 0; choice < choices; ++choice) {
            result.choices.push_back(rules.choice(at, result, rounds, choice));
        }
        if (!std::ranges::all_of(result.choices,
                                 [&](const Choice& choice) { return choice.box || !result.is_by_box(); })) {
            fail(named(runs.back(), *at.back()) + " sends boxes of different sizes in some of its rounds only");
        }
        time_of(result, runs, at);
        return result;
    }

    /// True if a place's call changes from round to round of a loop around it.
    /// \param level  number of the loop, from the innermost one
    [[nodiscard]] static bool changes_in(std::size_t level, const ClassRun& run, const Occurrences& at) {
        std::uint64_t stride = 1;
        for (std::size_t inner = 0; inner < level; ++inner) stride *= at.counts[inner];
        return std::ranges::any_of(run.ranks, [&](std::int64_t rank) {
            const auto& calls = run.run->calls[static_cast<std::size_t>(rank)];
            for (std::size_t o = stride; o < at.positions.size(); ++o) {
                if (o / stride % at.counts[level] == 0) continue;
                if (calls[at.positions[o]].form != calls[at.positions[o - stride]].form) return true;
            }
            return false;
        });
    }

    /// Checks that each dimension has grown: otherwise its influence is unknown.
    void check_dimensions() const {
        const auto last = static_cast<unsigned>(runs_.size() - 1);
        if (by_dimension_ && growth_.turn.size() > growth_.doublings * last) {
            fail("sizes depend on the grid, of which a dimension is the same in all runs (" + growth_.text(last) +
                 "): record the run of " + std::to_string(growth_.ranks(last + 1)) + " ranks, too");
        }
    }

    void time_of(CallPattern& result, const std::vector<ClassRun>& runs,
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
            means.emplace_back(places_.at(0, runs[i].steps), common_ns / calls_in_common);
            result.share = sum_ns / static_cast<double>(runs[i].ranks.size());  // finally the share in the largest run
        }
        result.time = scaling_of_times(means, by_side_);
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
    std::map<std::uint32_t, std::vector<Where>> later_;  ///< ranks of the class in larger runs
    const Places places_;
    std::size_t all_ = 0;        ///< places in the loops of all classes
    std::size_t explained_ = 0;  ///< of them
    bool by_dimension_ = false;
    bool by_side_ = false;  ///< loops of the class grow with the side of a square grid
};

}  // namespace

std::map<std::uint32_t, ClassPattern> attempt(const Vocabulary& vocabulary, const std::vector<Recording>& runs,
                                              const std::vector<RunLoops>& loops, Classes classes,
                                              const Growth& growth) {
    return Attempt(vocabulary, runs, loops, classes, growth).pattern();
}

}  // namespace waywiser::extrapolate
