/// Operations made of an MPI function and the arguments it takes: blocking, nonblocking and persistent.
#pragma once

#include "workloads/mpibench/call.hpp"

#include <tuple>

namespace waywiser::mpibench {

/// Blocking: one iteration.
template <auto Function, auto Arguments>
void call_blocking(Call& call) {
    std::apply([](auto... arguments) { Function(arguments...); }, Arguments(call));
}

/// Arguments without the request: those of the blocking function of the same collective.
template <auto Function, auto Arguments>
void start(Call& call) {
    std::apply([&](auto... arguments) { Function(arguments..., &call.request); }, Arguments(call));
}

/// What persistent operations are made with before the iterations.
template <auto Function, auto Arguments>
void make_persistent(Call& call) {
    std::apply([&](auto... arguments) { Function(arguments..., MPI_INFO_NULL, &call.request); }, Arguments(call));
}

/// Computes while the operation is under way, for as long as the measurement of the overlap asks, and waits for it.
void compute_and_wait(Call& call);

/// One iteration.
template <auto Function, auto Arguments>
void complete(Call& call) {
    start<Function, Arguments>(call);
    compute_and_wait(call);
}

/// One iteration.
void complete_persistent(Call& call);

inline auto barrier_arguments(Call& c) { return std::tuple(c.ranks); }

inline auto bcast_arguments(Call& c) {
    std::byte* buffer = c.rank == c.root ? c.send : c.receive;
    return std::tuple(buffer, c.count, c.datatype.type, c.root, c.ranks);
}

inline auto allreduce_arguments(Call& c) {
    return std::tuple(c.send, c.receive, c.count, c.datatype.type, c.operation.op, c.ranks);
}

inline auto reduce_arguments(Call& c) {
    return std::tuple(c.send, c.receive, c.count, c.datatype.type, c.operation.op, c.root, c.ranks);
}

inline auto allgather_arguments(Call& c) {
    return std::tuple(c.send, c.count, c.datatype.type, c.receive, c.count, c.datatype.type, c.ranks);
}

inline auto alltoall_arguments(Call& c) { return allgather_arguments(c); }

inline auto gather_arguments(Call& c) {
    return std::tuple(c.send, c.count, c.datatype.type, c.receive, c.count, c.datatype.type, c.root, c.ranks);
}

inline auto scatter_arguments(Call& c) { return gather_arguments(c); }

inline auto reduce_scatter_block_arguments(Call& c) { return allreduce_arguments(c); }

inline auto neighbor_arguments(Call& c) {
    return std::tuple(c.send, c.count, c.datatype.type, c.receive, c.count, c.datatype.type, c.grid);
}

inline auto scan_arguments(Call& c) { return allreduce_arguments(c); }

}  // namespace waywiser::mpibench
