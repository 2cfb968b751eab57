/// One iteration of every benchmark, and preparations of some benchmarks.
#pragma once

#include "workloads/mpibench/call.hpp"

namespace waywiser::mpibench {

// Iterations between the ranks of a pair.
void latency(Call& call);
void bandwidth(Call& call);
void bibandwidth(Call& call);
void prepare_requests(Call& call);

// Iterations between all ranks.
void memory(Call& call);
void sendrecv(Call& call);
void barrier(Call& call);
void bcast(Call& call);
void scatter(Call& call);
void scatterv(Call& call);
void gather(Call& call);
void gatherv(Call& call);
void allgather(Call& call);
void allgatherv(Call& call);
void alltoall(Call& call);
void alltoallv(Call& call);
void alltoallw(Call& call);
void reduce(Call& call);
void allreduce(Call& call);
void reduce_scatter(Call& call);
void reduce_scatter_block(Call& call);
void scan(Call& call);
void exscan(Call& call);
void prepare_blocks(Call& call);  ///< one block for each rank
void prepare_parts(Call& call);   ///< one block divided among the ranks; the first ranks get the remainder

}  // namespace waywiser::mpibench
