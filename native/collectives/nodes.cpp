#include "collectives/nodes.hpp"

#include <algorithm>
#include <numeric>
#include <unordered_map>

namespace waywiser::collectives {
namespace {

/// Ranks sorted stably by a key, and the position at which each key starts.
struct Sorted {
    std::vector<int> ranks;
    std::vector<int> begins;
};

Sorted sort(const std::vector<int>& numbers) {
    const int most = numbers.empty() ? -1 : *std::ranges::max_element(numbers);
    Sorted sorted{.ranks = std::vector<int>(numbers.size()),
                  .begins = std::vector<int>(static_cast<std::size_t>(most) + 2)};
    for (const int number : numbers) ++sorted.begins[static_cast<std::size_t>(number) + 1];
    std::partial_sum(sorted.begins.begin(), sorted.begins.end(), sorted.begins.begin());
    std::vector<int> next = sorted.begins;
    for (std::size_t rank = 0; rank < numbers.size(); ++rank) {
        sorted.ranks[static_cast<std::size_t>(next[static_cast<std::size_t>(numbers[rank])]++)] =
            static_cast<int>(rank);
    }
    return sorted;
}

std::span<const int> part(const std::vector<int>& ranks, const std::vector<int>& begins, int number) {
    const auto begin = static_cast<std::size_t>(begins[static_cast<std::size_t>(number)]);
    const auto end = static_cast<std::size_t>(begins[static_cast<std::size_t>(number) + 1]);
    return std::span(ranks).subspan(begin, end - begin);
}

}  // namespace

Nodes::Nodes(std::span<const std::int64_t> node_of_rank) {
    std::unordered_map<std::int64_t, int> numbers;
    std::vector<int> ranks_on;
    for (const std::int64_t node : node_of_rank) {
        const int number = numbers.try_emplace(node, static_cast<int>(numbers.size())).first->second;
        if (index(number) == ranks_on.size()) ranks_on.push_back(0);
        nodes_.push_back(number);
        places_.push_back(ranks_on[index(number)]++);
    }
    Sorted of_nodes = sort(nodes_);
    Sorted of_places = sort(places_);
    numbers_between_.resize(places_.size());
    for (std::size_t i = 0; i < places_.size(); ++i) {
        const int rank = of_places.ranks[i];
        numbers_between_[index(rank)] = static_cast<int>(i) - of_places.begins[index(places_[index(rank)])];
    }
    by_node_ = std::move(of_nodes.ranks);
    begins_ = std::move(of_nodes.begins);
    by_place_ = std::move(of_places.ranks);
    place_begins_ = std::move(of_places.begins);
    sizes_ = std::move(ranks_on);
    std::ranges::sort(sizes_);
    const auto [rest, end] = std::ranges::unique(sizes_);
    sizes_.erase(rest, end);
}

std::span<const int> Nodes::on(int node) const { return part(by_node_, begins_, node); }

std::span<const int> Nodes::at(int place) const { return part(by_place_, place_begins_, place); }

/// Nodes with at least this many ranks have one at the preceding place.
int Nodes::of_size(int ranks) const {
    const auto with = [&](int most) {
        return index(most) < place_begins_.size() ? static_cast<int>(at(most - 1).size()) : 0;
    };
    return with(ranks) - with(ranks + 1);
}

}  // namespace waywiser::collectives
