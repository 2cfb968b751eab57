/// Collectives composed of two others in sequence.
#include "collectives/algorithms.hpp"
#include "collectives/powers.hpp"
#include "collectives/steps.hpp"

namespace waywiser::collectives {
namespace {

/// Converts places to ranks in the schedule of an algorithm without a root.
Schedule relative_to_root(const Operation& op, Schedule steps) {
    for (Step& step : steps) {
        step.sent.first = rank_at(op, step.sent.first);
        step.received.first = rank_at(op, step.received.first);
        if (step.to != kNobody) step.to = rank_at(op, step.to);
        if (step.from != kNobody) step.from = rank_at(op, step.from);
    }
    return steps;
}

/// Cost of a binomial scatter of a vector that is cut into one block per rank; blocks differ by at most one element.
Cost scatter_cost(const Operation& op) {
    Cost cost{.rounds = log2_ceiling(op.ranks), .messages = count(op.ranks - 1)};
    for (int place = 1; place < op.ranks; ++place) {
        const int block = rank_at(op, place);
        const std::uint64_t bytes = begin_of(op, op.ranks, block + 1) - begin_of(op, op.ranks, block);
        cost.bytes += bytes * count(std::popcount(static_cast<unsigned>(place)));
    }
    return cost;
}

Cost allgather_bytes(const Operation& op, Cost of_blocks) {
    of_blocks.bytes = count(op.ranks - 1) * op.bytes;
    return of_blocks;
}

}  // namespace

Schedule scatter_ring_bcast(const Operation& op, int rank) {
    Schedule steps = binomial_scatter(op, rank);
    append(steps, ring_allgather(op, rank), log2_ceiling(op.ranks));
    return steps;
}

Cost scatter_ring_cost(const Operation& op) { return scatter_cost(op) + allgather_bytes(op, ring_cost(op)); }

Schedule scatter_doubling_bcast(const Operation& op, int rank) {
    Schedule steps = binomial_scatter(op, rank);
    append(steps, relative_to_root(op, doubling_allgather(op, place_of(op, rank))), log2_ceiling(op.ranks));
    return steps;
}

Cost scatter_doubling_cost(const Operation& op) {
    return scatter_cost(op) + allgather_bytes(op, doubling_allgather_cost(op));
}

Schedule reduce_bcast_allreduce(const Operation& op, int rank) {
    const Operation rooted = rooted_at_first(op);
    Schedule steps = binomial_reduce(rooted, rank);
    append(steps, halving_bcast(rooted, rank), log2_ceiling(op.ranks));
    return steps;
}

Schedule tree_barrier(const Operation& op, int rank) { return reduce_bcast_allreduce(op, rank); }

Cost reduce_bcast_cost(const Operation& op) { return binomial_cost(op) + binomial_cost(op); }

}  // namespace waywiser::collectives
