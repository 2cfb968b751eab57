/// Allreduce by recursive doubling: in round k, ranks at distance 2^k exchange the whole vector.
#include "collectives/algorithms.hpp"
#include "collectives/powers.hpp"

namespace waywiser::collectives {

Schedule doubling_allreduce(const Operation& op, int rank) {
    const Fold fold(op.ranks);
    const Blocks all{.first = 0, .count = 1};
    const int last = fold.rounds() + log2_floor(fold.active());
    if (fold.waits(rank)) {
        return {{.round = 0, .to = rank + 1, .sent = all}, {.round = last, .from = rank + 1, .received = all}};
    }
    Schedule steps;
    if (fold.takes_in(rank)) steps.push_back({.round = 0, .from = rank - 1, .received = all, .combines = true});
    int round = fold.rounds();
    for (int distance = 1; distance < fold.active(); distance *= 2, ++round) {
        const int peer = fold.rank(fold.number(rank) ^ distance);
        steps.push_back({.round = round, .to = peer, .sent = all, .from = peer, .received = all, .combines = true});
    }
    if (fold.takes_in(rank)) steps.push_back({.round = last, .to = rank - 1, .sent = all});
    return steps;
}

Cost doubling_cost(const Operation& op) {
    const Fold fold(op.ranks);
    const int exchanges = log2_floor(fold.active());
    const auto messages = static_cast<std::uint64_t>(2 * fold.extra()) +
                          static_cast<std::uint64_t>(fold.active()) * static_cast<std::uint64_t>(exchanges);
    return {.rounds = exchanges + 2 * fold.rounds(), .messages = messages, .bytes = messages * op.bytes};
}

}  // namespace waywiser::collectives
