#include "workloads/common/named.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

namespace waywiser {
namespace {

/// Optimal string alignment distance: the number of characters inserted, deleted, replaced or swapped with their
/// neighbour.
std::size_t distance(std::string_view from, std::string_view to) {
    std::vector<std::size_t> before(to.size() + 1);
    std::vector<std::size_t> last(to.size() + 1);
    std::vector<std::size_t> row(to.size() + 1);
    std::iota(last.begin(), last.end(), 0);
    for (std::size_t i = 1; i <= from.size(); ++i) {
        row[0] = i;
        for (std::size_t j = 1; j <= to.size(); ++j) {
            const bool same = from[i - 1] == to[j - 1];
            row[j] = std::min({last[j] + 1, row[j - 1] + 1, last[j - 1] + (same ? 0 : 1)});
            const bool swapped = i > 1 && j > 1 && from[i - 1] == to[j - 2] && from[i - 2] == to[j - 1];
            if (swapped) row[j] = std::min(row[j], before[j - 2] + 1);
        }
        std::swap(before, last);
        std::swap(last, row);
    }
    return last.back();
}

}  // namespace

std::string suggestion(std::string_view word, std::span<const std::string> known, std::size_t most,
                       const std::string& before) {
    std::vector<std::pair<std::size_t, std::string>> near;
    for (const std::string& name : known) {
        const std::size_t changes = distance(word, name);
        if (changes > 0 && 3 * changes <= std::max(word.size(), name.size())) near.emplace_back(changes, name);
    }
    std::ranges::stable_sort(near, {}, [](const auto& match) { return match.first; });
    near.resize(std::min(near.size(), most));
    std::string names;
    for (const auto& match : near) {
        names.append(names.empty() ? "" : &match == &near.back() ? " or " : ", ").append(before).append(match.second);
    }
    return names.empty() ? "" : " (did you mean " + names + "?)";
}

std::string list_of(std::span<const std::string> names, const std::string& before) {
    std::string all;
    for (const std::string& name : names) all.append(all.empty() ? "" : ", ").append(before).append(name);
    return all;
}

void refuse(std::string_view option, std::string_view name, std::span<const std::string> known) {
    throw InvalidInput("--" + std::string(option) + " '" + std::string(name) + "': expected one of " + list_of(known) +
                       suggestion(name, known));
}

}  // namespace waywiser
