/// Gather and scatter between the root and one other rank after the other.
#include "collectives/algorithms.hpp"

namespace waywiser::collectives {
namespace {

/// The root serves the ranks after itself, in their order.
int round_of(const Operation& op, int rank) { return (rank - op.root - 1 + op.ranks) % op.ranks; }

}  // namespace

Schedule linear_gather(const Operation& op, int rank) {
    const Blocks own{.first = rank, .count = 1};
    if (rank != op.root) return {{.round = round_of(op, rank), .to = op.root, .sent = own}};
    Schedule steps;
    for (int round = 0; round < op.ranks - 1; ++round) {
        const int from = (op.root + 1 + round) % op.ranks;
        steps.push_back({.round = round, .from = from, .received = {.first = from, .count = 1}});
    }
    return steps;
}

Schedule linear_scatter(const Operation& op, int rank) {
    const Blocks own{.first = rank, .count = 1};
    if (rank != op.root) return {{.round = round_of(op, rank), .from = op.root, .received = own}};
    Schedule steps;
    for (int round = 0; round < op.ranks - 1; ++round) {
        const int to = (op.root + 1 + round) % op.ranks;
        steps.push_back({.round = round, .to = to, .sent = {.first = to, .count = 1}});
    }
    return steps;
}

Cost linear_cost(const Operation& op) {
    const auto messages = static_cast<std::uint64_t>(op.ranks - 1);
    return {.rounds = op.ranks - 1, .messages = messages, .bytes = messages * op.bytes};
}

}  // namespace waywiser::collectives
