/// Reduce-scatter by recursive halving: in each round two ranks split the range that both still hold;
/// each keeps the half that its own result lies in.
#include "collectives/algorithms.hpp"
#include "collectives/powers.hpp"

namespace waywiser::collectives {
namespace {

/// The blocks that ranks `first` to `first + count - 1`, as the fold numbers them, are to end with:
/// a rank that has taken another in, ends with both's.
Blocks blocks_of(const Fold& fold, int first, int count) {
    const auto begin = [&](int number) { return number < fold.extra() ? 2 * number : number + fold.extra(); };
    return {.first = begin(first), .count = begin(first + count) - begin(first)};
}

}  // namespace

Schedule halving_reduce_scatter(const Operation& op, int rank) {
    const Fold fold(op.ranks);
    const Blocks all{.first = 0, .count = op.ranks};
    const int last = fold.rounds() + log2_floor(fold.active());
    const Blocks result{.first = rank, .count = 1};
    if (fold.waits(rank)) {
        return {{.round = 0, .to = rank + 1, .sent = all}, {.round = last, .from = rank + 1, .received = result}};
    }
    Schedule steps;
    if (fold.takes_in(rank)) steps.push_back({.round = 0, .from = rank - 1, .received = all, .combines = true});
    const int number = fold.number(rank);
    int round = fold.rounds();
    for (int half = fold.active() / 2; half > 0; half /= 2, ++round) {
        const int mine = number & ~(half - 1);
        const int peer = fold.rank(number ^ half);
        steps.push_back({.round = round,
                         .to = peer,
                         .sent = blocks_of(fold, mine ^ half, half),
                         .from = peer,
                         .received = blocks_of(fold, mine, half),
                         .combines = true});
    }
    if (fold.takes_in(rank)) {
        steps.push_back({.round = last, .to = rank - 1, .sent = {.first = rank - 1, .count = 1}});
    }
    return steps;
}

/// Two ranks that split a range exchange all of it; so the ranks of one round exchange p'/2, p'/4, …
/// times the whole vector.
Cost halving_cost(const Operation& op) {
    const Fold fold(op.ranks);
    const int halvings = log2_floor(fold.active());
    const auto active = static_cast<std::uint64_t>(fold.active());
    const auto extra = static_cast<std::uint64_t>(fold.extra());
    const std::uint64_t vector_bytes = static_cast<std::uint64_t>(op.ranks) * op.bytes;
    return {.rounds = halvings + 2 * fold.rounds(),
            .messages = 2 * extra + active * static_cast<std::uint64_t>(halvings),
            .bytes = (active - 1 + extra) * vector_bytes + extra * op.bytes};
}

}  // namespace waywiser::collectives
