/// Reductions of long vectors. In a reduce-scatter, ranks at distance 1, 2, 4, … halve the part on which both still
/// work. Then the parts are gathered in the reverse order, on all ranks or on the root.
#include "collectives/algorithms.hpp"
#include "collectives/powers.hpp"
#include "collectives/steps.hpp"

namespace waywiser::collectives {
namespace {

/// The fold before the algorithm: of two ranks, each reduces one half for both, and the odd rank sends its half to the
/// even one, which continues. Open MPI does so, whereas MPICH folds whole vectors.
class FoldOfHalves {
public:
    explicit FoldOfHalves(int ranks) : active_(power_below(ranks)), extra_(ranks - active_) {}

    [[nodiscard]] int active() const { return active_; }
    [[nodiscard]] int extra() const { return extra_; }
    [[nodiscard]] int rounds() const { return extra_ > 0 ? 2 : 0; }
    [[nodiscard]] bool takes_part(int rank) const { return rank < 2 * extra_; }
    [[nodiscard]] bool waits(int rank) const { return takes_part(rank) && rank % 2 == 1; }
    [[nodiscard]] int number(int rank) const { return takes_part(rank) ? rank / 2 : rank - extra_; }
    [[nodiscard]] int rank(int number) const { return number < extra_ ? 2 * number : number + extra_; }

    [[nodiscard]] Schedule before(int rank) const {
        if (!takes_part(rank)) return {};
        const Blocks lower{.first = 0, .count = active_ / 2};
        const Blocks upper{.first = active_ / 2, .count = active_ - active_ / 2};
        const bool even = rank % 2 == 0;
        Schedule steps{exchange(0, rank ^ 1, even ? upper : lower, rank ^ 1, even ? lower : upper, true)};
        steps.push_back(even ? receive(1, rank + 1, upper) : send(1, rank - 1, upper));
        return steps;
    }

    [[nodiscard]] Cost cost_before(const Operation& op) const {
        const std::uint64_t upper = op.bytes - begin_of(op, active_, active_ / 2);
        return {.rounds = rounds(), .messages = 3 * count(extra_), .bytes = count(extra_) * (op.bytes + upper)};
    }

private:
    int active_;
    int extra_;
};

/// The blocks of a rank after a number of halvings.
Blocks window(int number, int active, int halvings) {
    Blocks blocks{.first = 0, .count = active};
    for (int k = 0; k < halvings; ++k) {
        blocks.count /= 2;
        if ((number >> k & 1) == 1) blocks.first += blocks.count;
    }
    return blocks;
}

template <class FoldKind>
void reduce_scatter(Schedule& steps, const FoldKind& fold, int number, int round) {
    for (int k = 0; k < log2_floor(fold.active()); ++k) {
        const int peer_number = number ^ (1 << k);
        const int peer = fold.rank(peer_number);
        steps.push_back(exchange(round + k, peer, window(peer_number, fold.active(), k + 1), peer,
                                 window(number, fold.active(), k + 1), true));
    }
}

template <class FoldKind>
void allgather(Schedule& steps, const FoldKind& fold, int number, int round) {
    for (int k = log2_floor(fold.active()) - 1; k >= 0; --k) {
        const int peer_number = number ^ (1 << k);
        const int peer = fold.rank(peer_number);
        steps.push_back(exchange(round++, peer, window(number, fold.active(), k + 1), peer,
                                 window(peer_number, fold.active(), k + 1)));
    }
}

Cost reduce_scatter_cost(int active, const Operation& op) {
    const int halvings = log2_floor(active);
    return {.rounds = halvings, .messages = count(active) * count(halvings), .bytes = count(active - 1) * op.bytes};
}

Cost whole_vectors(int ranks, const Operation& op) {
    return {.rounds = ranks > 0 ? 1 : 0, .messages = count(ranks), .bytes = count(ranks) * op.bytes};
}

}  // namespace

Schedule rabenseifner_allreduce(const Operation& op, int rank) {
    const Fold fold(op.ranks);
    const int halvings = log2_floor(fold.active());
    const Blocks all{.first = 0, .count = fold.active()};
    const int last = fold.rounds() + 2 * halvings;
    if (fold.waits(rank)) return {send(0, rank + 1, all), receive(last, rank + 1, all)};
    Schedule steps;
    if (fold.takes_in(rank)) steps.push_back(reduce_from(0, rank - 1, all));
    reduce_scatter(steps, fold, fold.number(rank), fold.rounds());
    allgather(steps, fold, fold.number(rank), fold.rounds() + halvings);
    if (fold.takes_in(rank)) steps.push_back(send(last, rank - 1, all));
    return steps;
}

Cost rabenseifner_cost(const Operation& op) {
    const Fold fold(op.ranks);
    const Cost phase = reduce_scatter_cost(fold.active(), op);
    const Cost folded = whole_vectors(fold.extra(), op);
    return folded + phase + phase + folded;
}

Schedule halves_allreduce(const Operation& op, int rank) {
    const FoldOfHalves fold(op.ranks);
    const int halvings = log2_floor(fold.active());
    const Blocks all{.first = 0, .count = fold.active()};
    const int last = fold.rounds() + 2 * halvings;
    Schedule steps = fold.before(rank);
    if (fold.waits(rank)) {
        steps.push_back(receive(last, rank - 1, all));
        return steps;
    }
    reduce_scatter(steps, fold, fold.number(rank), fold.rounds());
    allgather(steps, fold, fold.number(rank), fold.rounds() + halvings);
    if (fold.takes_part(rank)) steps.push_back(send(last, rank + 1, all));
    return steps;
}

Cost halves_allreduce_cost(const Operation& op) {
    const FoldOfHalves fold(op.ranks);
    const Cost phase = reduce_scatter_cost(fold.active(), op);
    return fold.cost_before(op) + phase + phase + whole_vectors(fold.extra(), op);
}

/// A root that was folded away replaces rank 0 in the gather and takes over its blocks.
Schedule rabenseifner_reduce(const Operation& op, int rank) {
    const FoldOfHalves fold(op.ranks);
    const int active = fold.active();
    const int halvings = log2_floor(active);
    const bool root_waits = fold.waits(op.root);
    const int root = root_waits ? 0 : fold.number(op.root);
    int round = fold.rounds() + halvings;
    Schedule steps = fold.before(rank);
    if (!fold.waits(rank)) reduce_scatter(steps, fold, fold.number(rank), fold.rounds());
    const Blocks handed_over = window(0, active, halvings);
    if (root_waits && rank == 0) steps.push_back(send(round, op.root, handed_over));
    if (root_waits && rank == op.root) steps.push_back(receive(round, 0, handed_over));
    const bool takes_part = rank == op.root || !(fold.waits(rank) || (root_waits && rank == 0));
    if (!takes_part) return steps;
    round += root_waits ? 1 : 0;
    const int number = rank == op.root ? root : fold.number(rank);
    for (int k = halvings - 1; k >= 0; --k, ++round) {
        const int peer_number = number ^ (1 << k);
        const int peer = root_waits && peer_number == 0 ? op.root : fold.rank(peer_number);
        if (peer_number >> k == root >> k) {
            steps.push_back(send(round, peer, window(number, active, k + 1)));
            break;
        }
        steps.push_back(receive(round, peer, window(peer_number, active, k + 1)));
    }
    return steps;
}

Cost rabenseifner_reduce_cost(const Operation& op) {
    const FoldOfHalves fold(op.ranks);
    const int active = fold.active();
    const bool root_waits = fold.waits(op.root);
    const int root = root_waits ? 0 : fold.number(op.root);
    const auto bytes_in = [&](Blocks blocks) {
        return begin_of(op, active, blocks.first + blocks.count) - begin_of(op, active, blocks.first);
    };
    Cost gather{.rounds = log2_floor(active), .messages = count(active - 1)};
    for (int k = 0; k < gather.rounds; ++k) {
        const int senders = (root >> k ^ 1) << k;
        for (int i = 0; i < 1 << k; ++i) gather.bytes += bytes_in(window(senders + i, active, k + 1));
    }
    if (root_waits) {
        gather.bytes += bytes_in(window(0, active, gather.rounds));
        gather.messages += 1;
        gather.rounds += 1;
    }
    return fold.cost_before(op) + reduce_scatter_cost(active, op) + gather;
}

}  // namespace waywiser::collectives
