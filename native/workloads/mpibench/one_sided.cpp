// One-sided communication: the first rank of a pair reaches into the memory of the second, which calls nothing.
#include "workloads/mpibench/one_sided.hpp"

#include <algorithm>

namespace waywiser::mpibench {
namespace {

bool is_target(const Call& call) { return call.partner != MPI_PROC_NULL && !call.first; }

/// The target's blocks lie in the window.
void expose(Call& call, int blocks) {
    const auto bytes = static_cast<MPI_Aint>(is_target(call) ? call.bytes * blocks : 0);
    std::byte* memory = nullptr;
    MPI_Win_allocate(bytes, 1, MPI_INFO_NULL, call.ranks, static_cast<void*>(&memory), &call.memory);
    MPI_Win_lock_all(0, call.memory);
    if (!is_target(call)) return;
    std::fill_n(memory, bytes, std::byte{});
    call.send = memory;
    call.receive = memory;
}

void put_block(Call& call, std::int64_t at) {
    const MPI_Datatype type = call.datatype.type;
    MPI_Put(call.send + at, call.count, type, call.partner, static_cast<MPI_Aint>(at), call.count, type, call.memory);
}

void get_block(Call& call, std::int64_t at) {
    const MPI_Datatype type = call.datatype.type;
    MPI_Get(call.receive + at, call.count, type, call.partner, static_cast<MPI_Aint>(at), call.count, type,
            call.memory);
}

template <auto Access>
void access_window(Call& call) {
    if (!call.first) return;
    for (int i = 0; i < call.window; ++i) Access(call, i * call.bytes);
    MPI_Win_flush(call.partner, call.memory);
}

template <auto Access>
void access_block(Call& call) {
    if (!call.first) return;
    Access(call, 0);
    MPI_Win_flush(call.partner, call.memory);
}

}  // namespace

void expose_block(Call& call) { expose(call, 1); }

void expose_window(Call& call) { expose(call, call.window); }

void withdraw(Call& call) {
    MPI_Win_unlock_all(call.memory);
    MPI_Win_free(&call.memory);
}

void settle(const Call& call) {
    MPI_Win_sync(call.memory);
    MPI_Sendrecv(nullptr, 0, MPI_BYTE, call.partner, 0, nullptr, 0, MPI_BYTE, call.partner, 0, call.ranks,
                 MPI_STATUS_IGNORE);
    MPI_Win_sync(call.memory);
}

void put(Call& call) { access_block<put_block>(call); }

void get(Call& call) { access_block<get_block>(call); }

void put_bandwidth(Call& call) { access_window<put_block>(call); }

void get_bandwidth(Call& call) { access_window<get_block>(call); }

void accumulate(Call& call) {
    if (!call.first) return;
    const MPI_Datatype type = call.datatype.type;
    MPI_Accumulate(call.send, call.count, type, call.partner, 0, call.count, type, call.operation.op, call.memory);
    MPI_Win_flush(call.partner, call.memory);
}

Expected of_partner_by_target(const Call& call, int block) {
    return is_target(call) ? Expected{call.partner, call.partner, block} : Expected{};
}

Expected of_partner_by_origin(const Call& call, int block) {
    return call.first ? Expected{call.partner, call.partner, block} : Expected{};
}

Expected of_both_by_target(const Call& call, int) {
    if (!is_target(call)) return {};
    const auto [low, high] = std::minmax(call.rank, call.partner);
    return {low, high, 0, high - low};
}

}  // namespace waywiser::mpibench
