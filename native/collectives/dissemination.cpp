/// Barrier by dissemination: after round k every rank has heard of 2^(k+1) ranks.
#include "collectives/algorithms.hpp"
#include "collectives/powers.hpp"

namespace waywiser::collectives {

Schedule dissemination_barrier(const Operation& op, int rank) {
    const int p = op.ranks;
    const Blocks signal{.first = 0, .count = 1};
    Schedule steps;
    for (int round = 0; 1 << round < p; ++round) {
        const int reach = 1 << round;
        steps.push_back({.round = round,
                         .to = (rank + reach) % p,
                         .sent = signal,
                         .from = (rank - reach + p) % p,
                         .received = signal,
                         .combines = true});
    }
    return steps;
}

Cost dissemination_cost(const Operation& op) {
    const int rounds = log2_ceiling(op.ranks);
    return {.rounds = rounds, .messages = static_cast<std::uint64_t>(op.ranks) * static_cast<std::uint64_t>(rounds)};
}

}  // namespace waywiser::collectives
