#include "extrapolate/pattern.hpp"

#include <algorithm>
#include <iterator>

#include "base/error.hpp"
#include "extrapolate/attempt.hpp"

namespace waywiser::extrapolate {

namespace {

std::vector<std::pair<Classes, Growth>> assumptions(const std::vector<Recording>& runs) {
    std::vector<std::int64_t> ranks;
    std::ranges::transform(runs, std::back_inserter(ranks), &Recording::ranks);
    std::vector<std::pair<Classes, Growth>> all;
    const Growth line = growths(1, ranks).front();
    for (const Classes classes : {Classes::all, Classes::ends, Classes::parity, Classes::ends_and_parity}) {
        all.emplace_back(classes, line);
    }
    for (const std::size_t dimensions : {std::size_t{2}, std::size_t{3}}) {
        for (const Classes classes : {Classes::all, Classes::edges}) {
            for (const Growth& growth : growths(dimensions, ranks)) all.emplace_back(classes, growth);
        }
    }
    return all;
}

void check_runs(const std::vector<Recording>& runs) {
    constexpr const char* kNeeds = "an extrapolation needs three or more runs, of P, 2 P, 4 P, … or P, 4 P, 16 P, … ";
    require(runs.size() >= 3, std::string(kNeeds) + "ranks");
    std::string list;
    const std::int64_t factor = runs[1].ranks / runs[0].ranks;
    bool grows = factor == 2 || factor == 4;
    for (std::size_t i = 0; i < runs.size(); ++i) {
        list += (i == 0 ? "" : ", ") + std::to_string(runs[i].ranks);
        grows = grows && (i == 0 || runs[i].ranks == factor * runs[i - 1].ranks);
    }
    require(grows && runs.front().ranks > 1, kNeeds + ("ranks, P more than 1; found " + list));
}

}  // namespace

bool Pattern::uses_nodes() const {
    return std::ranges::any_of(by_class, [](const auto& of_class) {
        return std::ranges::any_of(of_class.second.groups, [](const std::optional<Membership>& group) {
            return group && group->division == Membership::Division::nodes;
        });
    });
}

Pattern recognise(const std::vector<std::string>& traces) {
    Pattern result;
    for (const std::string& path : traces) result.runs.push_back(read_recording(path, result.vocabulary));
    std::ranges::stable_sort(result.runs, {}, &Recording::ranks);
    check_runs(result.runs);
    Misfit closest("");
    closest.explained = -1;
    for (const Rounds rounds : {Rounds::any_partners, Rounds::same_partners}) {
        std::vector<RunLoops> loops;
        loops.reserve(result.runs.size());
        for (const Recording& run : result.runs) loops.emplace_back(run, result.vocabulary, rounds);
        for (const auto& [classes, growth] : assumptions(result.runs)) {
            try {
                result.by_class = attempt(result.vocabulary, result.runs, loops, classes, growth);
                result.classes = classes;
                result.growth = growth;
                return result;
            } catch (const Misfit& misfit) {
                if (misfit.explained > closest.explained) closest = misfit;
            }
        }
    }
    throw InvalidInput(std::string("the runs are not regular: ") + closest.what());
}

}  // namespace waywiser::extrapolate
