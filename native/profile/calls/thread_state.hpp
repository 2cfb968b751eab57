/// The tables of each thread of this process.
///
/// Each thread writes tables of its own, so the hot path has no lock, no atomic read-modify-write and no allocation.
/// Tables are made on a thread's first call of a function and on its first message to a partner. When there is no
/// memory for a table, the call is counted as unrecorded.
#pragma once

#include <cstddef>
#include <cstdint>

#include "profile/calls/phases.hpp"
#include "profile/messages/carried.hpp"
#include "profile/preload/next_call.hpp"
#include "profile/process/state_file.hpp"

namespace waywiser::profile {

struct Tracer;

/// Cache entry for (communicator, rank): the thread's counters for that world rank.
struct PeerEntry {
    std::uintptr_t comm;
    std::uint64_t generation;
    int rank;
    state::Partner* partner;  ///< null: not a process of MPI_COMM_WORLD
};

/// Cache entry for (communicator, function, root).
struct CollectiveEntry {
    std::uintptr_t comm;
    std::uint64_t generation;
    unsigned function;
    int root;
    state::CollectiveRecord* record;
};

/// Partners by rank, or by neighbour, of a communicator.
struct DestinationsEntry {
    std::uintptr_t comm;
    std::uint64_t generation;
    Shares::To to;
    int count;
    int capacity;
    state::Partner** partners;  ///< null: the calling rank itself, or no process of MPI_COMM_WORLD
};

inline constexpr std::size_t kPeerEntries = 1024;
inline constexpr std::size_t kCollectiveEntries = 256;
inline constexpr std::size_t kDestinationsEntries = 16;
inline constexpr std::size_t kCollectiveSlots = 8192;

/// Scratch memory for ranks, which is reused: communication libraries such as UCX may intercept every munmap of the
/// process and keep a record of it.
struct Scratch {
    int* ints;
    std::size_t size;
};

/// The number of an object of a trace, by its handle.
struct ObjectEntry {
    std::uintptr_t key;
    std::uint64_t generation;
    std::int32_t number;
};

inline constexpr std::size_t kObjectEntries = 64;

[[nodiscard]] inline std::size_t object_slot(std::uintptr_t key) { return (key >> 6U ^ key) & (kObjectEntries - 1); }

/// A counter that changes whenever a handle may have got another number.
extern std::uint64_t object_generation;

/// Requests whose numbers the thread looked up last.
struct SlotsFound {
    const void* place;      ///< address of the request array; null: none
    void* handles;          ///< copy of the handles
    unsigned char* room;    ///< memory for the lists of this look-up
    std::uint64_t version;  ///< slots_version at this look-up
    std::uint64_t serial;   ///< serial number of this look-up
    std::int32_t count;
    std::uint32_t list;  ///< list of the requests' numbers; 0: not looked up yet
    bool leave_open;     ///< one of the requests is a wildcard receive
};

struct CallSite;
struct Spread;

/// A loop that polls (by MPI_Test or a similar call) and does little else.
struct Spin {
    const state::FunctionRecord* function;  ///< null: none
    std::uint32_t tight;                    ///< consecutive polls that were timed, short and close together
    std::uint32_t untimed;                  ///< polls that may be counted without time stamps
    std::uint64_t typical_ticks;            ///< duration of one poll
    std::uint64_t last_end_ticks;
};

struct ThreadState {
    state::ThreadRecord* where;
    const void* outermost;              ///< the Call that is being timed
    state::FunctionRecord** functions;  ///< records of the current phase, by Id
    int phase;                          ///< index of the current phase
    std::uint32_t index;
    bool first_of_process;  ///< the thread that main() runs on
    Tracer* tracer;         ///< null: no trace is requested, or there was no memory for it
    Spin spin;
    state::FunctionRecord** functions_of[kPhases];
    state::FunctionRecord* functions_of_first_phase[kCalls];
    state::PartnersRecord* partners;  ///< the newest record, with room for more
    state::Partner** by_world_rank;   ///< open-addressed table of `table_size` slots
    std::size_t table_size;
    std::size_t partner_count;
    std::size_t collective_count;
    CallSite* sites;  ///< open-addressed table
    std::size_t sites_size;
    std::size_t sites_count;
    Scratch scratch[4];
    SlotsFound slots_found;
    ThreadState* next_free;
    // The cache is direct-mapped: a collision costs time but loses no count.
    PeerEntry peers[kPeerEntries];
    CollectiveEntry collectives[kCollectiveEntries];
    DestinationsEntry destinations[kDestinationsEntries];
    ObjectEntry objects[kObjectEntries];
    state::CollectiveRecord* by_collective[kCollectiveSlots];  ///< open-addressed table
};

// With the initial-exec model, a preloaded library's thread-local storage is reserved at start-up and is read without a
// call.
extern __attribute__((tls_model("initial-exec"))) constinit thread_local ThreadState* self;

/// Makes the calling thread's tables if the process is recorded.
[[nodiscard]] ThreadState* attach_thread();

/// True on the thread that main() runs on, once it has tables.
[[nodiscard]] inline bool on_first_thread() { return self != nullptr && self->first_of_process; }

/// The calling thread's tables, made on its first MPI call. Null if the process is not recorded.
[[nodiscard]] inline ThreadState* this_thread() {
    return __builtin_expect(self != nullptr, 1) ? self : attach_thread();
}

}  // namespace waywiser::profile
