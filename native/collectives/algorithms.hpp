/// The functions of the algorithms, each in the file of its name; table.cpp lists them.
#pragma once

#include "collectives/schedule.hpp"

namespace waywiser::collectives {

Schedule binomial_bcast(const Operation& op, int rank);
Schedule binomial_reduce(const Operation& op, int rank);
Cost binomial_cost(const Operation& op);

Schedule linear_gather(const Operation& op, int rank);
Schedule linear_scatter(const Operation& op, int rank);
Cost linear_cost(const Operation& op);

Schedule ring_allgather(const Operation& op, int rank);
Cost ring_cost(const Operation& op);

Schedule pairwise_alltoall(const Operation& op, int rank);
Cost pairwise_cost(const Operation& op);

Schedule dissemination_barrier(const Operation& op, int rank);
Cost dissemination_cost(const Operation& op);

Schedule chain_scan(const Operation& op, int rank);
Cost chain_cost(const Operation& op);

Schedule doubling_allreduce(const Operation& op, int rank);
Cost doubling_cost(const Operation& op);

Schedule halving_reduce_scatter(const Operation& op, int rank);
Cost halving_cost(const Operation& op);

Schedule rabenseifner_allreduce(const Operation& op, int rank);
Cost rabenseifner_cost(const Operation& op);

}  // namespace waywiser::collectives
