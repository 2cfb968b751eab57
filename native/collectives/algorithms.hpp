/// The functions of the algorithms, each in the file with its name; table.cpp lists them.
#pragma once

#include "collectives/stages.hpp"

namespace waywiser::collectives {

using StepsOf = Schedule(const Operation& op, int rank);
StepsOf dissemination_barrier, linear_barrier, double_ring_barrier, doubling_barrier, tree_barrier, switch_barrier,
    binomial_bcast, halving_bcast, linear_bcast, chain_bcast, binary_bcast, split_binary_bcast, knomial_bcast,
    scatter_ring_bcast, scatter_doubling_bcast, linear_gather, binomial_gather, synchronised_gather, linear_scatter,
    binomial_scatter, concurrent_scatter, ring_allgather, doubling_allgather, bruck_allgather, neighbour_allgather,
    linear_allgather, pairwise_alltoall, linear_alltoall, throttled_alltoall, bruck_alltoall, binomial_reduce,
    linear_reduce, chain_reduce, binary_reduce, in_order_reduce, knomial_reduce, rabenseifner_reduce,
    doubling_allreduce, linear_allreduce, reduce_bcast_allreduce, direct_allreduce, ring_allreduce,
    rabenseifner_allreduce, halves_allreduce, multiplying_allreduce, switch_allreduce, halving_reduce_scatter,
    doubling_reduce_scatter, pairwise_reduce_scatter, ring_reduce_scatter, butterfly_reduce_scatter,
    strided_reduce_scatter, chain_scan, doubling_scan;

using CostOf = Cost(const Operation& op);
CostOf dissemination_cost, linear_barrier_cost, double_ring_cost, doubling_cost, reduce_bcast_cost, switch_cost,
    binomial_cost, concurrent_cost, chain_tree_cost, binary_cost, split_binary_cost, knomial_cost, scatter_ring_cost,
    scatter_doubling_cost, linear_cost, binomial_blocks_cost, synchronised_cost, ring_cost, doubling_allgather_cost,
    bruck_allgather_cost, neighbour_cost, linear_alltoall_cost, pairwise_cost, throttled_cost, bruck_alltoall_cost,
    in_order_cost, rabenseifner_reduce_cost, linear_allreduce_cost, ring_allreduce_cost, rabenseifner_cost,
    halves_allreduce_cost, multiplying_cost, halving_cost, doubling_reduce_scatter_cost, butterfly_cost, strided_cost,
    chain_cost, doubling_scan_cost;

using Supports = bool(const Operation& op);
Supports han_supports, han_supports_even, han_reduces, han_reduces_even;
using StagesOf = Stages(const Operation& op);
StagesOf han_barrier, han_bcast, han_gather, han_scatter, han_allgather, han_reduce, han_allreduce;

using CountOf = int(const Operation& op);
CountOf vector_segments, halves_in_segments, ring_blocks;

}  // namespace waywiser::collectives
