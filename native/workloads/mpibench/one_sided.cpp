#include "workloads/mpibench/one_sided.hpp"

#include "workloads/common/named.hpp"

#include <algorithm>
#include <array>

namespace waywiser::mpibench {
namespace {

// The following are ranks of the window.
constexpr int origin = 0;
constexpr int target = 1;

constexpr std::array synchronisations{
    SynchronisationName{"flush", "MPI_Win_flush", Synchronisation::flush},
    SynchronisationName{"flush_local", "MPI_Win_flush_local", Synchronisation::flush_local},
    SynchronisationName{"lock", "MPI_Win_lock/unlock", Synchronisation::lock},
    SynchronisationName{"lock_all", "MPI_Win_lock_all/unlock_all", Synchronisation::lock_all},
    SynchronisationName{"pscw", "MPI_Win_post/start/complete/wait", Synchronisation::pscw},
    SynchronisationName{"fence", "MPI_Win_fence", Synchronisation::fence}};

bool takes_part(const Call& call) { return call.partner != MPI_PROC_NULL; }

bool is_target(const Call& call) { return takes_part(call) && !call.first; }

/// True if one lock serves all iterations.
bool stays_locked(const Call& call) {
    return call.synchronisation == Synchronisation::flush || call.synchronisation == Synchronisation::flush_local;
}

bool locks(const Call& call) {
    return call.synchronisation == Synchronisation::lock || call.synchronisation == Synchronisation::lock_all;
}

/// Creates the window, which has the target's blocks.
void expose(Call& call, int blocks) {
    MPI_Comm_split(call.ranks, takes_part(call) ? 0 : MPI_UNDEFINED, call.first ? origin : target, &call.pair);
    if (!takes_part(call)) return;
    const auto bytes = static_cast<MPI_Aint>(is_target(call) ? call.bytes * blocks : 0);
    std::byte* memory = nullptr;
    MPI_Win_allocate(bytes, 1, MPI_INFO_NULL, call.pair, static_cast<void*>(&memory), &call.memory);
    MPI_Group both = MPI_GROUP_NULL;
    MPI_Comm_group(call.pair, &both);
    MPI_Group_incl(both, 1, call.first ? &target : &origin, &call.partner_group);
    MPI_Group_free(&both);
    if (stays_locked(call)) MPI_Win_lock_all(0, call.memory);
    call.comparand = {};
    if (!is_target(call)) return;
    std::fill_n(memory, bytes, std::byte{});
    call.send = memory;
    call.receive = memory;
}

void open_epoch(Call& call) {
    switch (call.synchronisation) {
        case Synchronisation::flush:
        case Synchronisation::flush_local: return;
        case Synchronisation::lock: return void(MPI_Win_lock(MPI_LOCK_SHARED, target, 0, call.memory));
        case Synchronisation::lock_all: return void(MPI_Win_lock_all(0, call.memory));
        case Synchronisation::pscw: return void(MPI_Win_start(call.partner_group, 0, call.memory));
        case Synchronisation::fence: return void(MPI_Win_fence(0, call.memory));
    }
}

void complete_epoch(Call& call) {
    switch (call.synchronisation) {
        case Synchronisation::flush: return void(MPI_Win_flush(target, call.memory));
        case Synchronisation::flush_local: return void(MPI_Win_flush_local(target, call.memory));
        case Synchronisation::lock: return void(MPI_Win_unlock(target, call.memory));
        case Synchronisation::lock_all: return void(MPI_Win_unlock_all(call.memory));
        case Synchronisation::pscw: return void(MPI_Win_complete(call.memory));
        case Synchronisation::fence: return void(MPI_Win_fence(0, call.memory));
    }
}

/// Executes the target's part of an epoch, which is empty if the origin locks.
void grant_epoch(Call& call) {
    if (call.synchronisation == Synchronisation::pscw) {
        MPI_Win_post(call.partner_group, 0, call.memory);
        MPI_Win_wait(call.memory);
    } else if (call.synchronisation == Synchronisation::fence) {
        MPI_Win_fence(0, call.memory);
        MPI_Win_fence(0, call.memory);
    }
}

using Access = void(Call& call, std::int64_t at);

template <Access* access>
void epoch(Call& call, int accesses) {
    if (!call.first) return grant_epoch(call);
    open_epoch(call);
    for (int i = 0; i < accesses; ++i) access(call, i * call.bytes);
    complete_epoch(call);
}

void put_block(Call& call, std::int64_t at) {
    const MPI_Datatype type = call.datatype.type;
    MPI_Put(call.send + at, call.count, type, target, static_cast<MPI_Aint>(at), call.count, type, call.memory);
}

void get_block(Call& call, std::int64_t at) {
    const MPI_Datatype type = call.datatype.type;
    MPI_Get(call.receive + at, call.count, type, target, static_cast<MPI_Aint>(at), call.count, type, call.memory);
}

void accumulate_block(Call& call, std::int64_t) {
    const MPI_Datatype type = call.datatype.type;
    MPI_Accumulate(call.send, call.count, type, target, 0, call.count, type, call.operation.op, call.memory);
}

void get_accumulate_block(Call& call, std::int64_t) {
    const MPI_Datatype type = call.datatype.type;
    MPI_Get_accumulate(call.send, call.count, type, call.receive, call.count, type, target, 0, call.count, type,
                       call.operation.op, call.memory);
}

void fetch_element(Call& call, std::int64_t) {
    MPI_Fetch_and_op(call.send, call.receive, call.element.type, target, 0, call.operation.op, call.memory);
}

void swap_element(Call& call, std::int64_t) {
    MPI_Compare_and_swap(call.send, call.comparand.data(), call.receive, call.element.type, target, 0, call.memory);
}

}  // namespace

const SynchronisationName& find_synchronisation(std::string_view name) {
    return find_named<SynchronisationName>(synchronisations, "synchronisation", name);
}

const SynchronisationName& name_of(Synchronisation kind) {
    return *std::ranges::find(synchronisations, kind, &SynchronisationName::kind);
}

void expose_block(Call& call) { expose(call, 1); }

void expose_window(Call& call) { expose(call, call.window); }

void withdraw(Call& call) {
    if (!takes_part(call)) return;
    if (stays_locked(call)) MPI_Win_unlock_all(call.memory);
    MPI_Win_free(&call.memory);
    MPI_Group_free(&call.partner_group);
    // The communicator must not be freed earlier: passive epochs of Intel MPI 2021.18 crash without the communicator.
    MPI_Comm_free(&call.pair);
}

void settle(Call& call) {
    const auto synchronise = [&] {
        // MPI_Win_sync requires an epoch. With pscw and fence, no epoch is open here, and their own epochs have the
        // same effect.
        if (locks(call)) MPI_Win_lock_all(0, call.memory);
        if (locks(call) || stays_locked(call)) MPI_Win_sync(call.memory);
        if (locks(call)) MPI_Win_unlock_all(call.memory);
    };
    // A get or fetch that is only locally complete has its data. A put must be completed before the data are checked.
    if (call.first && call.synchronisation == Synchronisation::flush_local) MPI_Win_flush(target, call.memory);
    synchronise();
    MPI_Sendrecv(nullptr, 0, MPI_BYTE, call.partner, 0, nullptr, 0, MPI_BYTE, call.partner, 0, call.ranks,
                 MPI_STATUS_IGNORE);
    synchronise();
}

void settle_comparand(Call& call) {
    settle(call);
    const auto bytes = static_cast<int>(call.bytes);
    MPI_Sendrecv(call.send, bytes, MPI_BYTE, call.partner, 0, call.comparand.data(), bytes, MPI_BYTE, call.partner, 0,
                 call.ranks, MPI_STATUS_IGNORE);
}

void put(Call& call) { epoch<put_block>(call, 1); }

void get(Call& call) { epoch<get_block>(call, 1); }

void accumulate(Call& call) { epoch<accumulate_block>(call, 1); }

void get_accumulate(Call& call) { epoch<get_accumulate_block>(call, 1); }

void fetch_and_op(Call& call) { epoch<fetch_element>(call, 1); }

void compare_and_swap(Call& call) { epoch<swap_element>(call, 1); }

void put_bandwidth(Call& call) { epoch<put_block>(call, call.window); }

void get_bandwidth(Call& call) { epoch<get_block>(call, call.window); }

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

Expected of_both_by_target_and_partner_by_origin(const Call& call, int block) {
    return call.first ? of_partner_by_origin(call, block) : of_both_by_target(call, block);
}

Expected exchanged(const Call& call, int block) {
    return call.first ? of_partner_by_origin(call, block) : of_partner_by_target(call, block);
}

}  // namespace waywiser::mpibench
