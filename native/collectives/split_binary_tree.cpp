/// Broadcast of two halves, each down one side of a binary tree; then each rank exchanges its half with its pair on the
/// other side.
#include "collectives/algorithms.hpp"
#include "collectives/steps.hpp"
#include "collectives/trees.hpp"

namespace waywiser::collectives {
namespace {

int segments_of_half(const Operation& op) { return segments(op, (elements(op) + 1) / 2 * op.element_bytes); }

/// Side of the tree on which a place lies: odd places are on side 0, even places on side 1.
int side_of(int place) { return place % 2 == 1 ? 0 : 1; }

}  // namespace

int halves_in_segments(const Operation& op) { return 2 * segments_of_half(op); }

Schedule split_binary_bcast(const Operation& op, int rank) {
    const Node node = kBinaryTree.node(op, rank);
    const int place = place_of(op, rank);
    const int n = segments_of_half(op);
    const auto segment = [&](int side, int s) { return Blocks{.first = side * n + s, .count = 1}; };
    const auto half = [&](int side) { return Blocks{.first = side * n, .count = n}; };
    Schedule steps;
    for (int s = place == 0 ? 0 : -1; s < n; ++s) {
        const int round = node.depth + s;
        if (place > 0 && s + 1 < n) steps.push_back(receive(round, node.parent, segment(side_of(place), s + 1)));
        if (s < 0) continue;
        for (const int child : node.children) {
            steps.push_back(send(round, child, segment(side_of(place_of(op, child)), s)));
        }
    }
    const int last = kBinaryTree.depth(op) + n - 1;
    const bool has_no_pair = op.ranks % 2 == 0 && place == op.ranks - 1;  // The root sends it the other half.
    if (place == 0) {
        if (op.ranks % 2 == 0) steps.push_back(send(last, rank_at(op, op.ranks - 1), half(1)));
    } else if (has_no_pair) {
        steps.push_back(receive(last, op.root, half(1)));
    } else {
        const int side = side_of(place);
        const int pair = rank_at(op, side == 0 ? place + 1 : place - 1);
        steps.push_back(exchange(last, pair, half(side), pair, half(1 - side)));
    }
    return steps;
}

Cost split_binary_cost(const Operation& op) {
    const int n = segments_of_half(op);
    const std::uint64_t left = begin_of(op, 2 * n, n);
    const std::uint64_t right = op.bytes - left;
    const std::uint64_t on_left = count(op.ranks / 2);
    const std::uint64_t on_right = count(op.ranks - 1) - on_left;
    return {.rounds = kBinaryTree.depth(op) + n,
            .messages = count(op.ranks - 1) * count(n) + count(op.ranks - 1),
            .bytes = (on_left + on_right) * (left + right)};
}

}  // namespace waywiser::collectives
