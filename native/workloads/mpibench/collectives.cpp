// Blocking collectives.
#include "workloads/mpibench/iterations.hpp"

namespace waywiser::mpibench {

void prepare_blocks(Call& call) {
    const auto size = static_cast<std::size_t>(call.size);
    call.counts.assign(size, call.count);
    call.types.assign(size, call.datatype.type);
    call.displacements.resize(size);
    call.byte_displacements.resize(size);
    for (std::size_t rank = 0; rank < size; ++rank) {
        call.displacements[rank] = static_cast<int>(rank) * call.count;
        call.byte_displacements[rank] = call.displacements[rank] * call.datatype.bytes;
    }
}

void prepare_parts(Call& call) {
    const int left_over = call.count % call.size;
    call.counts.assign(static_cast<std::size_t>(call.size), call.count / call.size);
    for (int rank = 0; rank < left_over; ++rank) ++call.counts[static_cast<std::size_t>(rank)];
}

void sendrecv(Call& call) {
    const int right = (call.rank + 1) % call.size;
    const int left = (call.rank + call.size - 1) % call.size;
    const MPI_Datatype type = call.datatype.type;
    MPI_Sendrecv(call.send, call.count, type, right, 0, call.receive, call.count, type, left,
                 call.any_sender ? MPI_ANY_TAG : 0, call.ranks, call.status);
}

void barrier(Call& call) { MPI_Barrier(call.ranks); }

void bcast(Call& call) {
    std::byte* buffer = call.rank == call.root ? call.send : call.receive;
    MPI_Bcast(buffer, call.count, call.datatype.type, call.root, call.ranks);
}

void scatter(Call& call) {
    const MPI_Datatype type = call.datatype.type;
    MPI_Scatter(call.send, call.count, type, call.receive, call.count, type, call.root, call.ranks);
}

void scatterv(Call& call) {
    const MPI_Datatype type = call.datatype.type;
    MPI_Scatterv(call.send, call.counts.data(), call.displacements.data(), type, call.receive, call.count, type,
                 call.root, call.ranks);
}

void gather(Call& call) {
    const MPI_Datatype type = call.datatype.type;
    MPI_Gather(call.send, call.count, type, call.receive, call.count, type, call.root, call.ranks);
}

void gatherv(Call& call) {
    const MPI_Datatype type = call.datatype.type;
    MPI_Gatherv(call.send, call.count, type, call.receive, call.counts.data(), call.displacements.data(), type,
                call.root, call.ranks);
}

void allgather(Call& call) {
    const MPI_Datatype type = call.datatype.type;
    MPI_Allgather(call.send, call.count, type, call.receive, call.count, type, call.ranks);
}

void allgatherv(Call& call) {
    const MPI_Datatype type = call.datatype.type;
    MPI_Allgatherv(call.send, call.count, type, call.receive, call.counts.data(), call.displacements.data(), type,
                   call.ranks);
}

void alltoall(Call& call) {
    const MPI_Datatype type = call.datatype.type;
    MPI_Alltoall(call.send, call.count, type, call.receive, call.count, type, call.ranks);
}

void alltoallv(Call& call) {
    const int* counts = call.counts.data();
    const int* displacements = call.displacements.data();
    const MPI_Datatype type = call.datatype.type;
    MPI_Alltoallv(call.send, counts, displacements, type, call.receive, counts, displacements, type, call.ranks);
}

void alltoallw(Call& call) {
    const int* counts = call.counts.data();
    const int* displacements = call.byte_displacements.data();
    const MPI_Datatype* types = call.types.data();
    MPI_Alltoallw(call.send, counts, displacements, types, call.receive, counts, displacements, types, call.ranks);
}

void reduce(Call& call) {
    MPI_Reduce(call.send, call.receive, call.count, call.datatype.type, call.operation.op, call.root, call.ranks);
}

void allreduce(Call& call) {
    MPI_Allreduce(call.send, call.receive, call.count, call.datatype.type, call.operation.op, call.ranks);
}

void reduce_scatter(Call& call) {
    MPI_Reduce_scatter(call.send, call.receive, call.counts.data(), call.datatype.type, call.operation.op, call.ranks);
}

void reduce_scatter_block(Call& call) {
    const int part = call.count / call.size;
    MPI_Reduce_scatter_block(call.send, call.receive, part, call.datatype.type, call.operation.op, call.ranks);
}

void scan(Call& call) {
    MPI_Scan(call.send, call.receive, call.count, call.datatype.type, call.operation.op, call.ranks);
}

void exscan(Call& call) {
    MPI_Exscan(call.send, call.receive, call.count, call.datatype.type, call.operation.op, call.ranks);
}

}  // namespace waywiser::mpibench
