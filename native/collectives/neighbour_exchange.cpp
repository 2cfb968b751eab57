/// Allgather for an even number of ranks: pairs of neighbours exchange the blocks that they received last, alternating
/// between the two sides.
#include "collectives/algorithms.hpp"
#include "collectives/steps.hpp"

namespace waywiser::collectives {
namespace {

/// The first of the two blocks that a rank has received in a round: pairs move outwards, alternating between both
/// sides.
int pair_of(const Operation& op, int rank, int round) {
    const int own = rank & ~1;
    if (round == 0) return own;
    const int sign = (rank % 2 == 0) == (round % 2 == 0) ? 1 : -1;
    return rank_after(op, own, sign * 2 * ((round + 1) / 2) % op.ranks);
}

}  // namespace

Schedule neighbour_allgather(const Operation& op, int rank) {
    const int first = rank ^ 1;
    const int second = rank_after(op, rank, rank % 2 == 0 ? -1 : 1);
    Schedule steps{exchange(0, first, one_block(rank), first, one_block(first))};
    for (int round = 1; round < op.ranks / 2; ++round) {
        const int peer = round % 2 == 0 ? first : second;
        steps.push_back(exchange(round, peer, {.first = pair_of(op, rank, round - 1), .count = 2}, peer,
                                 {.first = pair_of(op, rank, round), .count = 2}));
    }
    return steps;
}

Cost neighbour_cost(const Operation& op) {
    const auto p = count(op.ranks);
    return {.rounds = op.ranks / 2, .messages = p * (p / 2), .bytes = p * (p - 1) * op.bytes};
}

}  // namespace waywiser::collectives
