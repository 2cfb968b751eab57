#include "workloads/mpibench/neighbours.hpp"

#include "workloads/mpibench/started.hpp"

namespace waywiser::mpibench {

void make_grid(Call& call) {
    std::array<int, 2> shape{};
    constexpr std::array<int, 2> wraps{};
    MPI_Dims_create(call.size, 2, shape.data());
    MPI_Cart_create(call.ranks, 2, shape.data(), wraps.data(), 0, &call.grid);
    MPI_Cart_shift(call.grid, 0, 1, &call.neighbours[0], &call.neighbours[1]);
    MPI_Cart_shift(call.grid, 1, 1, &call.neighbours[2], &call.neighbours[3]);
    const std::size_t most = call.neighbours.size();
    call.counts.assign(most, call.count);
    call.types.assign(most, call.datatype.type);
    call.displacements.resize(most);
    call.far_displacements.resize(most);
    for (std::size_t i = 0; i < most; ++i) {
        call.displacements[i] = static_cast<int>(i) * call.count;
        call.far_displacements[i] = static_cast<MPI_Aint>(i) * static_cast<MPI_Aint>(call.bytes);
    }
}

void free_grid(Call& call) { MPI_Comm_free(&call.grid); }

void neighbor_allgather(Call& call) { call_blocking<MPI_Neighbor_allgather, neighbor_arguments>(call); }

void neighbor_alltoall(Call& call) { call_blocking<MPI_Neighbor_alltoall, neighbor_arguments>(call); }

void neighbor_allgatherv(Call& call) { call_blocking<MPI_Neighbor_allgatherv, neighbor_allgatherv_arguments>(call); }

void neighbor_alltoallv(Call& call) { call_blocking<MPI_Neighbor_alltoallv, neighbor_alltoallv_arguments>(call); }

void neighbor_alltoallw(Call& call) { call_blocking<MPI_Neighbor_alltoallw, neighbor_alltoallw_arguments>(call); }

Expected of_neighbour(const Call& call, int block) {
    const int rank = call.neighbours[static_cast<std::size_t>(block)];
    return rank == MPI_PROC_NULL ? Expected{} : Expected{rank, rank, 0};
}

Expected for_this_neighbour(const Call& call, int block) {
    Expected expected = of_neighbour(call, block);
    // From above, a rank receives the block that its neighbour sends down in the same dimension.
    expected.block = block ^ 1;
    return expected;
}

}  // namespace waywiser::mpibench
