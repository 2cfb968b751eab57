/// Linear algorithms: messages between the root and every other rank.
#include "collectives/algorithms.hpp"
#include "collectives/steps.hpp"

namespace waywiser::collectives {
namespace {

/// The round in which the root serves a rank: ranks after the root come first, in order.
int round_of(const Operation& op, int rank) { return place_of(op, rank) - 1; }

Blocks own(int rank) { return {.first = rank, .count = 1}; }

template <class Each>
void for_each_other(const Operation& op, Each each) {
    for (int place = 1; place < op.ranks; ++place) each(rank_at(op, place));
}

Cost direct_cost(const Operation& op, int rounds) {
    const std::uint64_t messages = count(op.ranks - 1);
    return {.rounds = op.ranks > 1 ? rounds : 0, .messages = messages, .bytes = messages * op.bytes};
}

}  // namespace

Schedule linear_gather(const Operation& op, int rank) {
    if (rank != op.root) return {send(round_of(op, rank), op.root, own(rank))};
    Schedule steps;
    for_each_other(op, [&](int from) { steps.push_back(receive(round_of(op, from), from, own(from))); });
    return steps;
}

Schedule linear_scatter(const Operation& op, int rank) {
    if (rank != op.root) return {receive(round_of(op, rank), op.root, own(rank))};
    Schedule steps;
    for_each_other(op, [&](int to) { steps.push_back(send(round_of(op, to), to, own(to))); });
    return steps;
}

/// The root requests each rank's data in turn, so that no two messages arrive together. In the library, the rest of a
/// split message follows; here it is empty.
Schedule synchronised_gather(const Operation& op, int rank) {
    const int last = 2 * (op.ranks - 1);
    if (rank != op.root) {
        const int round = 2 * round_of(op, rank);
        return {receive(round, op.root, kNothing), send(round + 1, op.root, own(rank)), send(last, op.root, kNothing)};
    }
    Schedule steps;
    for_each_other(op, [&](int from) {
        steps.push_back(send(2 * round_of(op, from), from, kNothing));
        steps.push_back(receive(2 * round_of(op, from) + 1, from, own(from)));
    });
    for_each_other(op, [&](int from) { steps.push_back(receive(last, from, kNothing)); });
    return steps;
}

Schedule concurrent_scatter(const Operation& op, int rank) {
    if (rank != op.root) return {receive(0, op.root, own(rank))};
    Schedule steps;
    for_each_other(op, [&](int to) { steps.push_back(send(0, to, own(to))); });
    return steps;
}

Schedule linear_bcast(const Operation& op, int rank) {
    if (rank != op.root) return {receive(0, op.root, kAll)};
    Schedule steps;
    for_each_other(op, [&](int to) { steps.push_back(send(0, to, kAll)); });
    return steps;
}

/// The root reduces from the last rank to the first, which keeps the order of operands.
Schedule linear_reduce(const Operation& op, int rank) {
    const auto round = [&](int from) { return op.ranks - 1 - from - (from < op.root ? 1 : 0); };
    if (rank != op.root) return {send(round(rank), op.root, kAll)};
    Schedule steps;
    for (int from = op.ranks - 1; from >= 0; --from) {
        if (from != op.root) steps.push_back(reduce_from(round(from), from, kAll));
    }
    return steps;
}

/// Reduction to rank 0, followed by a broadcast.
Schedule linear_allreduce(const Operation& op, int rank) {
    const Operation rooted = rooted_at_first(op);
    Schedule steps = linear_reduce(rooted, rank);
    append(steps, linear_bcast(rooted, rank), op.ranks - 1);
    return steps;
}

Schedule linear_barrier(const Operation& op, int rank) {
    if (rank != 0) return {send(0, 0, kAll), receive(1, 0, kAll)};
    Schedule steps;
    for (int from = 1; from < op.ranks; ++from) steps.push_back(reduce_from(0, from, kAll));
    for (int to = 1; to < op.ranks; ++to) steps.push_back(send(1, to, kAll));
    return steps;
}

Cost linear_cost(const Operation& op) { return direct_cost(op, op.ranks - 1); }
Cost concurrent_cost(const Operation& op) { return direct_cost(op, 1); }
Cost linear_allreduce_cost(const Operation& op) { return linear_cost(op) + concurrent_cost(op); }
Cost linear_barrier_cost(const Operation& op) { return concurrent_cost(op) + concurrent_cost(op); }

Cost synchronised_cost(const Operation& op) {
    const std::uint64_t others = count(op.ranks - 1);
    return {.rounds = op.ranks > 1 ? 2 * (op.ranks - 1) + 1 : 0, .messages = 3 * others, .bytes = others * op.bytes};
}

}  // namespace waywiser::collectives
