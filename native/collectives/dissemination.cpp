/// Barrier by dissemination: after round k, signals of 2^(k+1) ranks have reached every rank.
#include "collectives/algorithms.hpp"
#include "collectives/powers.hpp"
#include "collectives/steps.hpp"

namespace waywiser::collectives {

Schedule dissemination_barrier(const Operation& op, int rank) {
    Schedule steps;
    for (int round = 0; 1 << round < op.ranks; ++round) {
        const int reach = 1 << round;
        steps.push_back(exchange(round, rank_after(op, rank, reach), kAll, rank_after(op, rank, -reach), kAll, true));
    }
    return steps;
}

Cost dissemination_cost(const Operation& op) {
    const int rounds = log2_ceiling(op.ranks);
    return {.rounds = rounds, .messages = count(op.ranks) * count(rounds)};
}

}  // namespace waywiser::collectives
