/// The nodes of a communicator: ranks that share a node.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace waywiser::collectives {

/// Nodes are numbered in the order of their first ranks; a rank's place is its index among the ranks of its node.
class Nodes {
public:
    /// \param node_of_rank  by rank: a number that is equal for ranks of the same node
    explicit Nodes(std::span<const std::int64_t> node_of_rank);

    [[nodiscard]] int count() const { return static_cast<int>(begins_.size()) - 1; }
    [[nodiscard]] int ranks() const { return static_cast<int>(places_.size()); }
    [[nodiscard]] int place(int rank) const { return places_[index(rank)]; }
    /// The number of a rank among the ranks with the same place on their nodes.
    [[nodiscard]] int number_between(int rank) const { return numbers_between_[index(rank)]; }

    /// All ranks of the rank's node, in their order.
    [[nodiscard]] std::span<const int> beside(int rank) const { return on(nodes_[index(rank)]); }
    /// The ranks with this place on their nodes, in order.
    [[nodiscard]] std::span<const int> at(int place) const;

    /// The distinct numbers of ranks per node, in ascending order.
    [[nodiscard]] std::span<const int> sizes() const { return sizes_; }
    /// The number of nodes with this many ranks.
    [[nodiscard]] int of_size(int ranks) const;
    [[nodiscard]] bool are_even() const { return sizes_.size() == 1; }
    /// True if there are several nodes, at least one of them with several ranks.
    [[nodiscard]] bool have_levels() const { return count() > 1 && sizes_.back() > 1; }

private:
    static std::size_t index(int i) { return static_cast<std::size_t>(i); }
    [[nodiscard]] std::span<const int> on(int node) const;

    std::vector<int> nodes_;   ///< node of each rank
    std::vector<int> places_;  ///< place of each rank on its node
    std::vector<int> numbers_between_;
    std::vector<int> by_node_;       ///< ranks
    std::vector<int> begins_;        ///< first index of each node in `by_node_`, and the end
    std::vector<int> by_place_;      ///< ranks
    std::vector<int> place_begins_;  ///< first index of each place in `by_place_`, and the end
    std::vector<int> sizes_;
};

}  // namespace waywiser::collectives
