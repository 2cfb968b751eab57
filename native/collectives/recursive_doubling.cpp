/// Recursive doubling: in round k, ranks at distance 2^k exchange all data that they have so far.
#include "collectives/algorithms.hpp"
#include "collectives/powers.hpp"
#include "collectives/steps.hpp"

namespace waywiser::collectives {
Schedule doubling_allreduce(const Operation& op, int rank) {
    const Fold fold(op.ranks);
    const int last = fold.rounds() + log2_floor(fold.active());
    if (fold.waits(rank)) return {send(0, rank + 1, kAll), receive(last, rank + 1, kAll)};
    Schedule steps;
    if (fold.takes_in(rank)) steps.push_back(reduce_from(0, rank - 1, kAll));
    int round = fold.rounds();
    for (int distance = 1; distance < fold.active(); distance *= 2, ++round) {
        const int peer = fold.rank(fold.number(rank) ^ distance);
        steps.push_back(exchange(round, peer, kAll, peer, kAll, true));
    }
    if (fold.takes_in(rank)) steps.push_back(send(last, rank - 1, kAll));
    return steps;
}

Cost doubling_cost(const Operation& op) {
    const Fold fold(op.ranks);
    const int exchanges = log2_floor(fold.active());
    const std::uint64_t messages = count(2 * fold.extra()) + count(fold.active()) * count(exchanges);
    return {.rounds = exchanges + 2 * fold.rounds(), .messages = messages, .bytes = messages * op.bytes};
}

/// Ranks at or above the largest power of two signal a partner below it, and wait for its signal.
Schedule doubling_barrier(const Operation& op, int rank) {
    const Fold fold(op.ranks);
    const int active = fold.active();
    const int last = fold.rounds() + log2_floor(active);
    if (rank >= active) return {send(0, rank - active, kAll), receive(last, rank - active, kAll)};
    Schedule steps;
    const bool takes_in = rank < fold.extra();
    if (takes_in) steps.push_back(reduce_from(0, rank + active, kAll));
    int round = fold.rounds();
    for (int distance = 1; distance < active; distance *= 2, ++round) {
        steps.push_back(exchange(round, rank ^ distance, kAll, rank ^ distance, kAll, true));
    }
    if (takes_in) steps.push_back(send(last, rank + active, kAll));
    return steps;
}

Schedule doubling_allgather(const Operation& op, int rank) {
    Schedule steps;
    int round = 0;
    for (int distance = 1; distance < op.ranks; distance *= 2, ++round) {
        const Blocks mine{.first = rank & ~(distance - 1), .count = distance};
        const Blocks theirs{.first = mine.first ^ distance, .count = distance};
        steps.push_back(exchange(round, rank ^ distance, mine, rank ^ distance, theirs));
    }
    return steps;
}

Cost doubling_allgather_cost(const Operation& op) {
    const auto p = count(op.ranks);
    const int rounds = log2_floor(op.ranks);
    return {.rounds = rounds, .messages = p * count(rounds), .bytes = p * (p - 1) * op.bytes};
}

/// In round k, ranks exchange all blocks except those of the ranks whose data both have summed already.
Schedule doubling_reduce_scatter(const Operation& op, int rank) {
    Schedule steps;
    int round = 0;
    for (int distance = 1; distance < op.ranks; distance *= 2, ++round) {
        const int mine = rank & ~(distance - 1);
        const auto but = [&](int first) {
            return Blocks{.first = (first + distance) % op.ranks, .count = op.ranks - distance};
        };
        steps.push_back(exchange(round, rank ^ distance, but(mine), rank ^ distance, but(mine ^ distance), true));
    }
    return steps;
}

Cost doubling_reduce_scatter_cost(const Operation& op) {
    const auto p = count(op.ranks);
    const int rounds = log2_floor(op.ranks);
    return {.rounds = rounds, .messages = p * count(rounds), .bytes = p * (p * count(rounds) - (p - 1)) * op.bytes};
}

/// Ranks exchange the sums of their groups of 2^k; sums of lower ranks also enter a rank's result.
Schedule doubling_scan(const Operation& op, int rank) {
    Schedule steps;
    for (int round = 0; 1 << round < op.ranks; ++round) {
        const int peer = rank ^ (1 << round);
        if (peer < op.ranks) steps.push_back(exchange(round, peer, kAll, peer, kAll, true));
    }
    return steps;
}

/// In round k every rank has a peer, except ranks of the last group whose bit k is 0, and ranks of an incomplete group.
Cost doubling_scan_cost(const Operation& op) {
    std::uint64_t messages = 0;
    int rounds = 0;
    for (int distance = 1; distance < op.ranks; distance *= 2, ++rounds) {
        const int whole = op.ranks / (2 * distance) * (2 * distance);
        messages += count(whole + 2 * std::max(op.ranks - whole - distance, 0));
    }
    return {.rounds = rounds, .messages = messages, .bytes = messages * op.bytes};
}

}  // namespace waywiser::collectives
