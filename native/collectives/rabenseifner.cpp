/// Allreduce of long vectors: reduce-scatter by recursive halving, then allgather by recursive
/// doubling.
#include "collectives/algorithms.hpp"
#include "collectives/powers.hpp"

namespace waywiser::collectives {

Schedule rabenseifner_allreduce(const Operation& op, int rank) {
    const Fold fold(op.ranks);
    const int active = fold.active();
    const Blocks all{.first = 0, .count = active};
    const int last = fold.rounds() + 2 * log2_floor(active);
    if (fold.waits(rank)) {
        return {{.round = 0, .to = rank + 1, .sent = all}, {.round = last, .from = rank + 1, .received = all}};
    }
    Schedule steps;
    if (fold.takes_in(rank)) steps.push_back({.round = 0, .from = rank - 1, .received = all, .combines = true});
    const int number = fold.number(rank);
    int round = fold.rounds();
    const auto exchange = [&](int size, bool halving) {
        const int peer = fold.rank(number ^ size);
        const Blocks mine{.first = number & ~(size - 1), .count = size};
        const Blocks other{.first = mine.first ^ size, .count = size};
        steps.push_back({.round = round++,
                         .to = peer,
                         .sent = halving ? other : mine,
                         .from = peer,
                         .received = halving ? mine : other,
                         .combines = halving});
    };
    for (int size = active / 2; size > 0; size /= 2) exchange(size, true);
    for (int size = 1; size < active; size *= 2) exchange(size, false);
    if (fold.takes_in(rank)) steps.push_back({.round = last, .to = rank - 1, .sent = all});
    return steps;
}

Cost rabenseifner_cost(const Operation& op) {
    const Fold fold(op.ranks);
    const int exchanges = 2 * log2_floor(fold.active());
    const auto active = static_cast<std::uint64_t>(fold.active());
    const auto extra = static_cast<std::uint64_t>(fold.extra());
    return {.rounds = exchanges + 2 * fold.rounds(),
            .messages = 2 * extra + active * static_cast<std::uint64_t>(exchanges),
            .bytes = 2 * (extra + active - 1) * op.bytes};
}

}  // namespace waywiser::collectives
