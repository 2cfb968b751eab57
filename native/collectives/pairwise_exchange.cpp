/// Every rank sends its block to every other rank directly: one after the other, in batches, or all at once.
#include "collectives/algorithms.hpp"
#include "collectives/steps.hpp"

namespace waywiser::collectives {
namespace {

/// An exchange with all ranks, with `batch` messages in each round.
Schedule in_batches(const Operation& op, int rank, int batch) {
    Schedule steps;
    for (int shift = 1; shift < op.ranks; ++shift) {
        const Blocks block{.first = shift, .count = 1};
        steps.push_back(
            exchange((shift - 1) / batch, rank_after(op, rank, shift), block, rank_after(op, rank, -shift), block));
    }
    return steps;
}

int batch_of(const Operation& op) { return op.fan_out > 0 ? op.fan_out : 32; }

Cost batches_cost(const Operation& op, int batch) {
    const std::uint64_t messages = count(op.ranks) * count(op.ranks - 1);
    return {.rounds = (op.ranks - 1 + batch - 1) / batch, .messages = messages, .bytes = messages * op.bytes};
}

}  // namespace

Schedule pairwise_alltoall(const Operation& op, int rank) { return in_batches(op, rank, 1); }
Cost pairwise_cost(const Operation& op) { return batches_cost(op, 1); }

Schedule linear_alltoall(const Operation& op, int rank) { return in_batches(op, rank, op.ranks); }
Cost linear_alltoall_cost(const Operation& op) { return batches_cost(op, op.ranks); }

Schedule throttled_alltoall(const Operation& op, int rank) { return in_batches(op, rank, batch_of(op)); }
Cost throttled_cost(const Operation& op) { return batches_cost(op, batch_of(op)); }

Schedule linear_allgather(const Operation& op, int rank) {
    Schedule steps;
    for (int shift = 1; shift < op.ranks; ++shift) {
        const int from = rank_after(op, rank, -shift);
        steps.push_back(exchange(0, rank_after(op, rank, shift), one_block(rank), from, one_block(from)));
    }
    return steps;
}

/// Every rank receives all vectors and reduces them by itself.
Schedule direct_allreduce(const Operation& op, int rank) {
    Schedule steps;
    for (int shift = 1; shift < op.ranks; ++shift) {
        steps.push_back(exchange(0, rank_after(op, rank, shift), kAll, rank_after(op, rank, -shift), kAll, true));
    }
    return steps;
}

/// Every rank sends to every other rank the part that is reduced there.
Schedule pairwise_reduce_scatter(const Operation& op, int rank) {
    Schedule steps;
    for (int shift = 1; shift < op.ranks; ++shift) {
        const int to = rank_after(op, rank, shift);
        steps.push_back(exchange(shift - 1, to, one_block(to), rank_after(op, rank, -shift), one_block(rank), true));
    }
    return steps;
}

}  // namespace waywiser::collectives
