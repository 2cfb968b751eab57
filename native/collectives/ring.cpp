/// Algorithms around a ring: every rank sends to the next one only.
#include "collectives/algorithms.hpp"
#include "collectives/steps.hpp"

namespace waywiser::collectives {
namespace {

/// One turn of p - 1 rounds, in which every block travels from the rank `ahead` of it to all others.
/// \param blocks  the blocks that a rank sends and receives for block i
template <class BlocksOf>
Schedule turn(const Operation& op, int rank, int ahead, bool combines, BlocksOf blocks) {
    Schedule steps;
    for (int round = 0; round < op.ranks - 1; ++round) {
        steps.push_back(exchange(round, rank_after(op, rank, 1),
                                 blocks(rank_after(op, rank_after(op, rank, ahead), -round)), rank_after(op, rank, -1),
                                 blocks(rank_after(op, rank_after(op, rank, ahead - 1), -round)), combines));
    }
    return steps;
}

/// Number of parts of a block in the segmented ring.
int phases(const Operation& op) {
    return segments(op, (elements(op) + count(op.ranks) - 1) / count(op.ranks) * op.element_bytes);
}

Cost turn_cost(const Operation& op, std::uint64_t bytes) {
    return {.rounds = op.ranks - 1, .messages = count(op.ranks) * count(op.ranks - 1), .bytes = bytes};
}

}  // namespace

Schedule ring_allgather(const Operation& op, int rank) { return turn(op, rank, 0, false, one_block); }

Cost ring_cost(const Operation& op) { return turn_cost(op, count(op.ranks) * count(op.ranks - 1) * op.bytes); }

/// Block r ends its turn, reduced, on rank r.
Schedule ring_reduce_scatter(const Operation& op, int rank) { return turn(op, rank, -1, true, one_block); }

int ring_blocks(const Operation& op) { return op.ranks * phases(op); }

/// A turn that reduces, for every part of the blocks, and another turn that passes the whole blocks around.
Schedule ring_allreduce(const Operation& op, int rank) {
    const int parts = phases(op);
    Schedule steps;
    for (int part = 0; part < parts; ++part) {
        const auto one_part = [&](int block) { return one_block(block * parts + part); };
        append(steps, turn(op, rank, 0, true, one_part), part * (op.ranks - 1));
    }
    const auto whole = [&](int block) { return Blocks{.first = block * parts, .count = parts}; };
    append(steps, turn(op, rank, 1, false, whole), parts * (op.ranks - 1));
    return steps;
}

Cost ring_allreduce_cost(const Operation& op) {
    const auto turns = phases(op);
    const std::uint64_t bytes = count(op.ranks - 1) * op.bytes;
    Cost cost = turn_cost(op, bytes);
    cost.rounds *= turns;
    cost.messages *= count(turns);
    return cost + turn_cost(op, bytes);
}

/// A signal travels twice around from rank 0: a rank that has seen it twice knows that all ranks have arrived.
Schedule double_ring_barrier(const Operation& op, int rank) {
    const int p = op.ranks;
    if (p == 1) return {};
    const int next = rank_after(op, rank, 1);
    const int before = rank_after(op, rank, -1);
    Schedule steps;
    for (int lap = 0; lap < 2; ++lap) {
        const int start = lap * p;
        if (rank > 0) steps.push_back(reduce_from(start + rank - 1, before, kAll));
        steps.push_back(send(start + rank, next, kAll));
        if (rank == 0) steps.push_back(reduce_from(start + p - 1, before, kAll));
    }
    return steps;
}

Cost double_ring_cost(const Operation& op) {
    return op.ranks == 1 ? Cost{} : Cost{.rounds = 2 * op.ranks, .messages = 2 * count(op.ranks)};
}

}  // namespace waywiser::collectives
