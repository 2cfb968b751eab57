/// Broadcast and reduction along a binomial tree.
#include "collectives/algorithms.hpp"
#include "collectives/powers.hpp"

namespace waywiser::collectives {
namespace {

constexpr Blocks kAll{.first = 0, .count = 1};

int from_root(const Operation& op, int rank) { return (rank - op.root + op.ranks) % op.ranks; }
int rank_at(const Operation& op, int place) { return (place + op.root) % op.ranks; }

}  // namespace

/// In round k, the ranks at places 0 … 2^k - 1 from the root each serve the one 2^k further on.
Schedule binomial_bcast(const Operation& op, int rank) {
    Schedule steps;
    const int place = from_root(op, rank);
    for (int round = 0; 1 << round < op.ranks; ++round) {
        const int reach = 1 << round;
        if (place < reach && place + reach < op.ranks) {
            steps.push_back({.round = round, .to = rank_at(op, place + reach), .sent = kAll});
        } else if (place >= reach && place < 2 * reach) {
            steps.push_back({.round = round, .from = rank_at(op, place - reach), .received = kAll});
        }
    }
    return steps;
}

/// The broadcast backwards.
Schedule binomial_reduce(const Operation& op, int rank) {
    const Schedule there = binomial_bcast(op, rank);
    const int last = log2_ceiling(op.ranks) - 1;
    Schedule steps;
    for (auto step = there.rbegin(); step != there.rend(); ++step) {
        steps.push_back({.round = last - step->round,
                         .to = step->from,
                         .sent = step->received,
                         .from = step->to,
                         .received = step->sent,
                         .combines = step->to != kNobody});
    }
    return steps;
}

Cost binomial_cost(const Operation& op) {
    const auto messages = static_cast<std::uint64_t>(op.ranks - 1);
    return {.rounds = log2_ceiling(op.ranks), .messages = messages, .bytes = messages * op.bytes};
}

}  // namespace waywiser::collectives
