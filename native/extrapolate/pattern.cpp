#include "extrapolate/pattern.hpp"

#include <algorithm>
#include <bit>

#include "base/error.hpp"
#include "extrapolate/attempt.hpp"

namespace waywiser::extrapolate {

namespace {

std::vector<std::pair<Classes, Growth>> assumptions(std::int64_t ranks, unsigned doublings) {
    std::vector<std::pair<Classes, Growth>> all;
    const Growth line = growths(1, ranks, doublings).front();
    for (const Classes one : {Classes::all, Classes::ends, Classes::parity, Classes::ends_and_parity}) {
        all.emplace_back(one, line);
    }
    for (const std::size_t dimensions : {std::size_t{2}, std::size_t{3}}) {
        for (const Classes one : {Classes::all, Classes::edges}) {
            for (const Growth& growth : growths(dimensions, ranks, doublings)) all.emplace_back(one, growth);
        }
    }
    return all;
}

void check_runs(const std::vector<Recording>& runs) {
    require(runs.size() >= 3, "an extrapolation needs the traces of three or more runs, of P, 2 P, 4 P, … ranks");
    std::string found;
    bool doubles = true;
    for (std::size_t i = 0; i < runs.size(); ++i) {
        found += (i == 0 ? "" : ", ") + std::to_string(runs[i].ranks);
        doubles = doubles && runs[i].ranks == runs.front().ranks << i;
    }
    require(doubles && runs.front().ranks > 1,
            "an extrapolation needs runs of P, 2 P, 4 P, … ranks, P more than 1; found " + found);
}

}  // namespace

std::optional<unsigned> Pattern::doublings(std::int64_t ranks) const {
    const std::int64_t first = runs.front().ranks;
    if (ranks < first || ranks % first != 0) return {};
    const auto times = static_cast<std::uint64_t>(ranks / first);
    if (!std::has_single_bit(times)) return {};
    return static_cast<unsigned>(std::bit_width(times) - 1);
}

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
    std::vector<RunLoops> loops;
    loops.reserve(result.runs.size());
    for (const Recording& run : result.runs) loops.emplace_back(run);
    Misfit closest("");
    closest.explained = -1;
    for (const auto& [classes, growth] :
         assumptions(result.runs.front().ranks, static_cast<unsigned>(result.runs.size() - 1))) {
        try {
            result.by_class = attempt(result.vocabulary, result.runs, loops, classes, growth);
            result.classes = classes;
            result.growth = growth;
            return result;
        } catch (const Misfit& misfit) {
            if (misfit.explained > closest.explained) closest = misfit;
        }
    }
    throw InvalidInput(std::string("the runs are not regular: ") + closest.what());
}

}  // namespace waywiser::extrapolate
