/// Reduce-scatter by halving: in each round two ranks split the data that both still hold.
#include "collectives/algorithms.hpp"
#include "collectives/powers.hpp"
#include "collectives/steps.hpp"

namespace waywiser::collectives {
namespace {

/// The final blocks of ranks `first` to `first + count - 1` in the fold's numbering; a rank with a folded partner ends
/// with the blocks of both.
Blocks blocks_of(const Fold& fold, int first, int count) {
    const auto begin = [&](int number) { return number < fold.extra() ? 2 * number : number + fold.extra(); };
    return {.first = begin(first), .count = begin(first + count) - begin(first)};
}

/// The number with its bits in reverse order.
int mirrored(int number, int bits) {
    int result = 0;
    for (int bit = 0; bit < bits; ++bit) result |= (number >> bit & 1) << (bits - 1 - bit);
    return result;
}

Cost halvings_cost(const Operation& op) {
    const Fold fold(op.ranks);
    const int halvings = log2_floor(fold.active());
    const std::uint64_t vector_bytes = count(op.ranks) * op.bytes;
    return {.rounds = halvings + fold.rounds(),
            .messages = count(fold.extra()) + count(fold.active()) * count(halvings),
            .bytes = (count(fold.active()) - 1 + count(fold.extra())) * vector_bytes};
}

}  // namespace

/// Each rank keeps the half that contains its own result.
Schedule halving_reduce_scatter(const Operation& op, int rank) {
    const Fold fold(op.ranks);
    const Blocks all{.first = 0, .count = op.ranks};
    const int last = fold.rounds() + log2_floor(fold.active());
    if (fold.waits(rank)) return {send(0, rank + 1, all), receive(last, rank + 1, one_block(rank))};
    Schedule steps;
    if (fold.takes_in(rank)) steps.push_back(reduce_from(0, rank - 1, all));
    const int number = fold.number(rank);
    int round = fold.rounds();
    for (int half = fold.active() / 2; half > 0; half /= 2, ++round) {
        const int mine = number & ~(half - 1);
        const int peer = fold.rank(number ^ half);
        steps.push_back(
            exchange(round, peer, blocks_of(fold, mine ^ half, half), peer, blocks_of(fold, mine, half), true));
    }
    if (fold.takes_in(rank)) steps.push_back(send(last, rank - 1, one_block(rank - 1)));
    return steps;
}

/// Two ranks that split a range exchange all of it, so that the ranks of one round exchange p'/2, p'/4, … times the
/// whole vector.
Cost halving_cost(const Operation& op) {
    const Fold fold(op.ranks);
    return halvings_cost(op) +
           Cost{.rounds = fold.rounds(), .messages = count(fold.extra()), .bytes = count(fold.extra()) * op.bytes};
}

/// Neighbours exchange first, which keeps the order of operands. Each rank therefore ends with the blocks of the rank
/// whose number has the same bits in reverse order, and sends them to that rank.
Schedule butterfly_reduce_scatter(const Operation& op, int rank) {
    const Fold fold(op.ranks);
    const int bits = log2_floor(fold.active());
    const Blocks all{.first = 0, .count = op.ranks};
    const int last = fold.rounds() + bits;
    if (fold.waits(rank)) {
        const int from = fold.rank(mirrored(rank / 2, bits));
        return {send(0, rank + 1, all), receive(last, from, one_block(rank))};
    }
    Schedule steps;
    if (fold.takes_in(rank)) steps.push_back(reduce_from(0, rank - 1, all));
    const int number = fold.number(rank);
    int mine = 0;
    for (int bit = 0; bit < bits; ++bit) {
        const int half = fold.active() >> (bit + 1);
        const int theirs = mine + ((number >> bit & 1) ^ 1) * half;
        mine += (number >> bit & 1) * half;
        const int peer = fold.rank(number ^ (1 << bit));
        steps.push_back(exchange(fold.rounds() + bit, peer, blocks_of(fold, theirs, half), peer,
                                 blocks_of(fold, mine, half), true));
    }
    const int owner = fold.rank(mirrored(number, bits));
    if (fold.takes_in(owner)) steps.push_back(send(last, owner - 1, one_block(owner - 1)));
    if (owner != rank) {
        steps.push_back(exchange(last, owner, one_block(owner), owner, one_block(rank)));
    }
    return steps;
}

/// Among the numbers of n bits, 2^(n / 2), with n / 2 rounded up, have the same bits in reverse order.
Cost butterfly_cost(const Operation& op) {
    const Fold fold(op.ranks);
    const int bits = log2_floor(fold.active());
    const std::uint64_t moved = count(fold.active() - (1 << (bits + 1) / 2)) + count(fold.extra());
    return halvings_cost(op) + Cost{.rounds = moved > 0 ? 1 : 0, .messages = moved, .bytes = moved * op.bytes};
}

/// Neighbours exchange first, every second block: in round k, ranks keep the blocks whose numbers have
/// their own k + 1 last bits.
Schedule strided_reduce_scatter(const Operation& op, int rank) {
    Schedule steps;
    int round = 0;
    for (int distance = 1; distance < op.ranks; distance *= 2, ++round) {
        const int peer = rank ^ distance;
        const auto kept_by = [&](int keeper) {
            const int period = 2 * distance;
            return Blocks{.first = keeper % period, .count = op.ranks / period, .run = 1, .period = period};
        };
        steps.push_back(exchange(round, peer, kept_by(peer), peer, kept_by(rank), true));
    }
    return steps;
}

Cost strided_cost(const Operation& op) { return halvings_cost(op); }

}  // namespace waywiser::collectives
