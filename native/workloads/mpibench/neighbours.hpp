/// Neighbourhood collectives on a grid of two dimensions, as close to square as possible and not periodic, as in a halo
/// exchange. Ranks at a border have fewer neighbours than four.
#pragma once

#include "workloads/mpibench/benchmarks.hpp"

namespace waywiser::mpibench {

// Collective functions that are called before and after the iterations of one size.
void make_grid(Call& call);
void free_grid(Call& call);

// Each of these functions is one iteration.
void neighbor_allgather(Call& call);
void neighbor_alltoall(Call& call);
void neighbor_allgatherv(Call& call);
void neighbor_alltoallv(Call& call);
void neighbor_alltoallw(Call& call);

// Expected received data.
[[nodiscard]] Expected of_neighbour(const Call& call, int block);
[[nodiscard]] Expected for_this_neighbour(const Call& call, int block);

}  // namespace waywiser::mpibench
