/// The functions of the algorithms, each in the file of its name; table.cpp lists them.
#pragma once

#include "collectives/stages.hpp"

namespace waywiser::collectives {

Schedule dissemination_barrier(const Operation& op, int rank);
Schedule linear_barrier(const Operation& op, int rank);
Schedule double_ring_barrier(const Operation& op, int rank);
Schedule doubling_barrier(const Operation& op, int rank);
Schedule tree_barrier(const Operation& op, int rank);
Schedule switch_barrier(const Operation& op, int rank);
Schedule binomial_bcast(const Operation& op, int rank);
Schedule halving_bcast(const Operation& op, int rank);
Schedule linear_bcast(const Operation& op, int rank);
Schedule chain_bcast(const Operation& op, int rank);
Schedule binary_bcast(const Operation& op, int rank);
Schedule split_binary_bcast(const Operation& op, int rank);
Schedule knomial_bcast(const Operation& op, int rank);
Schedule scatter_ring_bcast(const Operation& op, int rank);
Schedule scatter_doubling_bcast(const Operation& op, int rank);
Schedule linear_gather(const Operation& op, int rank);
Schedule binomial_gather(const Operation& op, int rank);
Schedule synchronised_gather(const Operation& op, int rank);
Schedule linear_scatter(const Operation& op, int rank);
Schedule binomial_scatter(const Operation& op, int rank);
Schedule concurrent_scatter(const Operation& op, int rank);
Schedule ring_allgather(const Operation& op, int rank);
Schedule doubling_allgather(const Operation& op, int rank);
Schedule bruck_allgather(const Operation& op, int rank);
Schedule neighbour_allgather(const Operation& op, int rank);
Schedule linear_allgather(const Operation& op, int rank);
Schedule pairwise_alltoall(const Operation& op, int rank);
Schedule linear_alltoall(const Operation& op, int rank);
Schedule throttled_alltoall(const Operation& op, int rank);
Schedule bruck_alltoall(const Operation& op, int rank);
Schedule binomial_reduce(const Operation& op, int rank);
Schedule linear_reduce(const Operation& op, int rank);
Schedule chain_reduce(const Operation& op, int rank);
Schedule binary_reduce(const Operation& op, int rank);
Schedule in_order_reduce(const Operation& op, int rank);
Schedule knomial_reduce(const Operation& op, int rank);
Schedule rabenseifner_reduce(const Operation& op, int rank);
Schedule doubling_allreduce(const Operation& op, int rank);
Schedule linear_allreduce(const Operation& op, int rank);
Schedule reduce_bcast_allreduce(const Operation& op, int rank);
Schedule direct_allreduce(const Operation& op, int rank);
Schedule ring_allreduce(const Operation& op, int rank);
Schedule rabenseifner_allreduce(const Operation& op, int rank);
Schedule halves_allreduce(const Operation& op, int rank);
Schedule multiplying_allreduce(const Operation& op, int rank);
Schedule switch_allreduce(const Operation& op, int rank);
Schedule halving_reduce_scatter(const Operation& op, int rank);
Schedule doubling_reduce_scatter(const Operation& op, int rank);
Schedule pairwise_reduce_scatter(const Operation& op, int rank);
Schedule ring_reduce_scatter(const Operation& op, int rank);
Schedule butterfly_reduce_scatter(const Operation& op, int rank);
Schedule strided_reduce_scatter(const Operation& op, int rank);
Schedule chain_scan(const Operation& op, int rank);
Schedule doubling_scan(const Operation& op, int rank);

Cost dissemination_cost(const Operation& op);
Cost linear_barrier_cost(const Operation& op);
Cost double_ring_cost(const Operation& op);
Cost doubling_cost(const Operation& op);
Cost reduce_bcast_cost(const Operation& op);
Cost switch_cost(const Operation& op);
Cost binomial_cost(const Operation& op);
Cost concurrent_cost(const Operation& op);
Cost chain_tree_cost(const Operation& op);
Cost binary_cost(const Operation& op);
Cost split_binary_cost(const Operation& op);
Cost knomial_cost(const Operation& op);
Cost scatter_ring_cost(const Operation& op);
Cost scatter_doubling_cost(const Operation& op);
Cost linear_cost(const Operation& op);
Cost binomial_blocks_cost(const Operation& op);
Cost synchronised_cost(const Operation& op);
Cost ring_cost(const Operation& op);
Cost doubling_allgather_cost(const Operation& op);
Cost bruck_allgather_cost(const Operation& op);
Cost neighbour_cost(const Operation& op);
Cost linear_alltoall_cost(const Operation& op);
Cost pairwise_cost(const Operation& op);
Cost throttled_cost(const Operation& op);
Cost bruck_alltoall_cost(const Operation& op);
Cost in_order_cost(const Operation& op);
Cost rabenseifner_reduce_cost(const Operation& op);
Cost linear_allreduce_cost(const Operation& op);
Cost ring_allreduce_cost(const Operation& op);
Cost rabenseifner_cost(const Operation& op);
Cost halves_allreduce_cost(const Operation& op);
Cost multiplying_cost(const Operation& op);
Cost halving_cost(const Operation& op);
Cost doubling_reduce_scatter_cost(const Operation& op);
Cost butterfly_cost(const Operation& op);
Cost strided_cost(const Operation& op);
Cost chain_cost(const Operation& op);
Cost doubling_scan_cost(const Operation& op);

bool han_supports(const Operation& op);
bool han_supports_even(const Operation& op);
bool han_reduces(const Operation& op);
bool han_reduces_even(const Operation& op);
Stages han_barrier(const Operation& op);
Stages han_bcast(const Operation& op);
Stages han_gather(const Operation& op);
Stages han_scatter(const Operation& op);
Stages han_allgather(const Operation& op);
Stages han_reduce(const Operation& op);
Stages han_allreduce(const Operation& op);

int vector_segments(const Operation& op);
int halves_in_segments(const Operation& op);
int ring_blocks(const Operation& op);

}  // namespace waywiser::collectives
