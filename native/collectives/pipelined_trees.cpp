/// Broadcast, reduction and both along trees, in segments that follow one another: while a rank passes one on to all
/// its children, the next one arrives.
#include <algorithm>

#include "collectives/algorithms.hpp"
#include "collectives/powers.hpp"
#include "collectives/steps.hpp"
#include "collectives/trees.hpp"

namespace waywiser::collectives {
namespace {

/// A rank at depth d receives segment s in round d - 1 + s and sends it in the next.
Schedule down(const Node& node, int segments) {
    Schedule steps;
    for (int s = node.parent == kNobody ? 0 : -1; s < segments; ++s) {
        const int round = node.depth + s;
        if (node.parent != kNobody && s + 1 < segments) steps.push_back(receive(round, node.parent, one_block(s + 1)));
        if (s < 0) continue;
        for (const int child : node.children) steps.push_back(send(round, child, one_block(s)));
    }
    return steps;
}

/// The reverse of down(): a rank at depth d sends its reduced segment s in round depth - d + s.
Schedule up(const Node& node, int depth, int segments) {
    Schedule steps;
    for (int s = node.children.empty() ? 0 : -1; s < segments; ++s) {
        const int round = depth - node.depth + s;
        if (s >= 0 && node.parent != kNobody) steps.push_back(send(round, node.parent, one_block(s)));
        if (s + 1 == segments) continue;
        for (const int child : node.children) steps.push_back(reduce_from(round, child, one_block(s + 1)));
    }
    return steps;
}

Schedule bcast_along(const Tree& tree, const Operation& op, int rank) {
    return down(tree.node(op, rank), segments(op, op.bytes));
}

Schedule reduce_along(const Tree& tree, const Operation& op, int rank) {
    return up(tree.node(op, rank), tree.depth(op), segments(op, op.bytes));
}

Cost cost_along(const Tree& tree, const Operation& op) {
    if (op.ranks == 1) return {};
    const int n = segments(op, op.bytes);
    return {.rounds = tree.depth(op) + n - 1,
            .messages = count(op.ranks - 1) * count(n),
            .bytes = count(op.ranks - 1) * op.bytes};
}

/// True if the last rank, which has the result, sends it to another rank as the root.
bool passes_on(const Operation& op) { return op.root != op.ranks - 1; }

Schedule through_switches(const Operation& op, int number) {
    const Node node = kSwitchTree.node(op, number);
    const int depth = kSwitchTree.depth(op);
    const int n = segments(op, op.bytes);
    Schedule steps = up(node, depth, n);
    append(steps, down(node, n), depth);
    std::ranges::stable_sort(steps, {}, &Step::round);
    return steps;
}

}  // namespace

int vector_segments(const Operation& op) { return segments(op, op.bytes); }

Schedule chain_bcast(const Operation& op, int rank) { return bcast_along(kChain, op, rank); }
Schedule chain_reduce(const Operation& op, int rank) { return reduce_along(kChain, op, rank); }
Cost chain_tree_cost(const Operation& op) { return cost_along(kChain, op); }

Schedule binary_bcast(const Operation& op, int rank) { return bcast_along(kBinaryTree, op, rank); }
Schedule binary_reduce(const Operation& op, int rank) { return reduce_along(kBinaryTree, op, rank); }
Cost binary_cost(const Operation& op) { return cost_along(kBinaryTree, op); }

Schedule knomial_bcast(const Operation& op, int rank) { return bcast_along(kKnomialTree, op, rank); }
Schedule knomial_reduce(const Operation& op, int rank) { return reduce_along(kKnomialTree, op, rank); }
Cost knomial_cost(const Operation& op) { return cost_along(kKnomialTree, op); }

Schedule in_order_reduce(const Operation& op, int rank) {
    Schedule steps = reduce_along(kInOrderBinaryTree, op, rank);
    if (!passes_on(op)) return steps;
    const int last = in_order_cost(op).rounds - 1;
    const Blocks all{.first = 0, .count = vector_segments(op)};
    if (rank == op.ranks - 1) steps.push_back(send(last, op.root, all));
    if (rank == op.root) steps.push_back(receive(last, op.ranks - 1, all));
    return steps;
}

Cost in_order_cost(const Operation& op) {
    const Cost tree = cost_along(kInOrderBinaryTree, op);
    return passes_on(op) ? tree + Cost{.rounds = 1, .messages = 1, .bytes = op.bytes} : tree;
}

Schedule switch_allreduce(const Operation& op, int number) { return through_switches(op, number); }
Schedule switch_barrier(const Operation& op, int number) { return through_switches(op, number); }

Cost switch_cost(const Operation& op) {
    const int n = segments(op, op.bytes);
    const std::uint64_t links = count(op.ranks + switches_of(op) - 1);
    return {
        .rounds = 2 * kSwitchTree.depth(op) + n - 1, .messages = 2 * links * count(n), .bytes = 2 * links * op.bytes};
}

}  // namespace waywiser::collectives
