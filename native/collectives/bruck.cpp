/// Bruck's algorithms: in round k, data move on by 2^k ranks.
#include "collectives/algorithms.hpp"
#include "collectives/powers.hpp"
#include "collectives/steps.hpp"

namespace waywiser::collectives {
namespace {

/// The number of integers from 1 to n - 1 that have bit k set.
int with_bit(int n, int bit) {
    const int half = 1 << bit;
    return n / (2 * half) * half + std::max(n % (2 * half) - half, 0);
}

}  // namespace

Schedule bruck_allgather(const Operation& op, int rank) {
    Schedule steps;
    int round = 0;
    for (int distance = 1; distance < op.ranks; distance *= 2, ++round) {
        const int blocks = std::min(distance, op.ranks - distance);
        const int from = rank_after(op, rank, distance);
        steps.push_back(exchange(round, rank_after(op, rank, -distance), {.first = rank, .count = blocks}, from,
                                 {.first = from, .count = blocks}));
    }
    return steps;
}

Cost bruck_allgather_cost(const Operation& op) {
    const auto p = count(op.ranks);
    const int rounds = log2_ceiling(op.ranks);
    return {.rounds = rounds, .messages = p * count(rounds), .bytes = p * (p - 1) * op.bytes};
}

/// Data for the rank at distance d move in the rounds of the bits of d, together with all blocks that have this bit.
Schedule bruck_alltoall(const Operation& op, int rank) {
    Schedule steps;
    for (int bit = 0; 1 << bit < op.ranks; ++bit) {
        const int distance = 1 << bit;
        const Blocks moved{
            .first = distance, .count = with_bit(op.ranks, bit), .run = distance, .period = 2 * distance};
        steps.push_back(exchange(bit, rank_after(op, rank, distance), moved, rank_after(op, rank, -distance), moved));
    }
    return steps;
}

Cost bruck_alltoall_cost(const Operation& op) {
    const int rounds = log2_ceiling(op.ranks);
    Cost cost{.rounds = rounds, .messages = count(op.ranks) * count(rounds)};
    for (int bit = 0; bit < rounds; ++bit) cost.bytes += count(op.ranks) * count(with_bit(op.ranks, bit)) * op.bytes;
    return cost;
}

}  // namespace waywiser::collectives
