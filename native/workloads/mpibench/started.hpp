/// Blocking, nonblocking and persistent operations, made of an MPI function and a function that returns its arguments.
#pragma once

#include "workloads/mpibench/call.hpp"

#include <tuple>

namespace waywiser::mpibench {

/// One iteration of a blocking operation.
template <auto Function, auto Arguments>
void call_blocking(Call& call) {
    std::apply([](auto... arguments) { Function(arguments...); }, Arguments(call));
}

/// Starts a nonblocking operation. `Arguments` returns the arguments without the request, which the blocking function
/// of the same collective takes as well.
template <auto Function, auto Arguments>
void start(Call& call) {
    std::apply([&](auto... arguments) { Function(arguments..., &call.request); }, Arguments(call));
}

/// Creates a persistent operation before the iterations.
template <auto Function, auto Arguments>
void make_persistent(Call& call) {
    std::apply([&](auto... arguments) { Function(arguments..., MPI_INFO_NULL, &call.request); }, Arguments(call));
}

/// Executes `compute_rounds` rounds of work while the operation is in progress, and waits for its completion.
void compute_and_wait(Call& call);

/// One iteration of a nonblocking operation.
template <auto Function, auto Arguments>
void complete(Call& call) {
    start<Function, Arguments>(call);
    compute_and_wait(call);
}

/// One iteration of a persistent operation.
void complete_persistent(Call& call);

inline auto barrier_arguments(Call& c) { return std::tuple(c.ranks); }

inline auto bcast_arguments(Call& c) {
    std::byte* buffer = c.rank == c.root ? c.send : c.receive;
    return std::tuple(buffer, c.count, c.datatype.type, c.root, c.ranks);
}

/// Arguments of gather and scatter.
inline auto gather_arguments(Call& c) {
    return std::tuple(c.send, c.count, c.datatype.type, c.receive, c.count, c.datatype.type, c.root, c.ranks);
}

inline auto gatherv_arguments(Call& c) {
    const MPI_Datatype type = c.datatype.type;
    return std::tuple(c.send, c.count, type, c.receive, c.counts.data(), c.displacements.data(), type, c.root, c.ranks);
}

inline auto scatterv_arguments(Call& c) {
    const MPI_Datatype type = c.datatype.type;
    return std::tuple(c.send, c.counts.data(), c.displacements.data(), type, c.receive, c.count, type, c.root, c.ranks);
}

/// Arguments of allgather and alltoall.
inline auto allgather_arguments(Call& c) {
    return std::tuple(c.send, c.count, c.datatype.type, c.receive, c.count, c.datatype.type, c.ranks);
}

inline auto allgatherv_arguments(Call& c) {
    const MPI_Datatype type = c.datatype.type;
    return std::tuple(c.send, c.count, type, c.receive, c.counts.data(), c.displacements.data(), type, c.ranks);
}

inline auto alltoallv_arguments(Call& c) {
    const MPI_Datatype type = c.datatype.type;
    const int* counts = c.counts.data();
    const int* displacements = c.displacements.data();
    return std::tuple(c.send, counts, displacements, type, c.receive, counts, displacements, type, c.ranks);
}

inline auto alltoallw_arguments(Call& c) {
    const int* counts = c.counts.data();
    const int* displacements = c.byte_displacements.data();
    const MPI_Datatype* types = c.types.data();
    return std::tuple(c.send, counts, displacements, types, c.receive, counts, displacements, types, c.ranks);
}

inline auto reduce_arguments(Call& c) {
    return std::tuple(c.send, c.receive, c.count, c.datatype.type, c.operation.op, c.root, c.ranks);
}

/// Arguments of allreduce and the scans.
inline auto allreduce_arguments(Call& c) {
    return std::tuple(c.send, c.receive, c.count, c.datatype.type, c.operation.op, c.ranks);
}

inline auto reduce_scatter_arguments(Call& c) {
    return std::tuple(c.send, c.receive, c.counts.data(), c.datatype.type, c.operation.op, c.ranks);
}

inline auto reduce_scatter_block_arguments(Call& c) {
    return std::tuple(c.send, c.receive, c.count / c.size, c.datatype.type, c.operation.op, c.ranks);
}

inline auto neighbor_allgatherv_arguments(Call& c) {
    const MPI_Datatype type = c.datatype.type;
    return std::tuple(c.send, c.count, type, c.receive, c.counts.data(), c.displacements.data(), type, c.grid);
}

inline auto neighbor_alltoallv_arguments(Call& c) {
    const MPI_Datatype type = c.datatype.type;
    const int* counts = c.counts.data();
    const int* displacements = c.displacements.data();
    return std::tuple(c.send, counts, displacements, type, c.receive, counts, displacements, type, c.grid);
}

inline auto neighbor_alltoallw_arguments(Call& c) {
    const int* counts = c.counts.data();
    const MPI_Aint* displacements = c.far_displacements.data();
    const MPI_Datatype* types = c.types.data();
    return std::tuple(c.send, counts, displacements, types, c.receive, counts, displacements, types, c.grid);
}

inline auto neighbor_arguments(Call& c) {
    return std::tuple(c.send, c.count, c.datatype.type, c.receive, c.count, c.datatype.type, c.grid);
}

}  // namespace waywiser::mpibench
