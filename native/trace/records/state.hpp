/// The live state of one process: what the preloaded profiler keeps in node-local memory while
/// the program runs, and what is left to read when the process was killed.
///
/// A state is a header of `kHeaderBytes` followed by chunks of `kChunkBytes`. A chunk is a
/// sequence of records; the first record of kind `none` ends it. Nothing points anywhere, so a
/// copy of the bytes, at any moment, can be read. A file of saved states holds one after another,
/// each from a multiple of `kHeaderBytes` on; between them, and at the end, bytes may be missing.
/// Times are ticks; the two calibration points turn them into nanoseconds. Plain data only: the profiler's room uses it
/// without libstdc++.
#pragma once

#include <cstddef>
#include <cstdint>

#include "trace/records/fields.hpp"

namespace waywiser::state {

inline constexpr char kMagic[8] = {'W', 'W', 'S', 'T', 'A', 'T', 'E', '4'};
inline constexpr std::size_t kHeaderBytes = 4096;
inline constexpr std::size_t kChunkBytes = std::size_t{64} * 1024;

/// The progress of a process. Values only increase, except that sessions may initialise MPI again after it was
/// finalised.
enum class Phase : std::uint32_t {
    started,      ///< called MPI, but neither MPI_Init nor MPI_Session_init has returned
    initialised,  ///< between these and MPI_Finalize, or the last session's end
    finalised,    ///< nothing has MPI open any more
    aborted,      ///< called MPI_Abort
    exited,       ///< ended by exit() while MPI was open
};

enum class Abi : std::uint32_t { unknown, openmpi, mpich, standard };

/// A tick count and the value of CLOCK_MONOTONIC at the same moment.
struct Calibration {
    std::uint64_t ticks;
    std::uint64_t monotonic_ns;
};

inline constexpr std::uint64_t kNotTold = ~std::uint64_t{0};

/// The metrics of a rank, in the order of trace::kRankFields.
struct Metrics {
    static constexpr std::size_t kMost = 32;
    static_assert(trace::kRankFields.size() <= kMost);

    std::uint64_t values[kMost];  ///< kNotTold: not known

    template <trace::Name kName>
    [[nodiscard]] std::uint64_t& at() {
        return values[trace::index_of<trace::kRankFields, kName>()];
    }
};

/// Header::perf_event_paranoid where the setting could not be read.
inline constexpr std::int32_t kNoSetting = -100;

struct Header {
    char magic[8];
    std::uint32_t header_bytes;
    std::uint32_t chunk_bytes;
    std::uint64_t chunks;  ///< chunks that are allocated and may hold records
    std::uint32_t pid;
    Phase phase;
    std::int32_t world_rank;  ///< -1 until MPI is initialised
    std::int32_t world_size;  ///< 0 until MPI is initialised
    Abi abi;
    std::int32_t thread_level;
    Calibration begin;                    ///< at the process's first MPI call
    Calibration end;                      ///< renewed about ten times a second, and at the end
    std::uint64_t init_begin_ticks;       ///< of the first
    std::uint64_t finalize_end_ticks;     ///< of the last; 0 while MPI is open
    std::uint64_t old_begin[4];           ///< where `fields` is 0: metrics from cpu_ns on
    std::uint64_t old_end[8];             ///< the same ones
    std::uint32_t split_sync;             ///< 1: a barrier stood before each blocking collective
    std::uint32_t sharing;                ///< 1 + the lowest of the ranks that it shares memory with; 0: not known
    std::uint64_t old_counters_begin[2];  ///< where `fields` is 0: metrics from instructions on
    std::uint64_t old_counters_end[2];    ///< the same ones
    char host[256];
    char cpus[1024];     ///< as the kernel lists them, e.g. "0-3,8"
    char library[1024];  ///< the first line of MPI_Get_library_version
    char transport[256];
    std::uint64_t process_start;       ///< clock ticks since boot; with `pid`, names the process
    std::uint64_t begin_unix_ns;       ///< CLOCK_REALTIME at `begin`; 0: not known
    std::uint64_t lost_lists;          ///< of traced calls, for which there was no room: read as empty
    std::uint64_t other_objects;       ///< of a trace, beyond the limit of distinguished ones
    std::int32_t counters_error;       ///< errno of perf_event_open(2); 0: they count
    std::int32_t end_unseen;           ///< 1: the collector did not see when it was killed
    std::int32_t perf_event_paranoid;  ///< the kernel's setting
    std::uint32_t fields;              ///< number of metrics' fields; 0: old states have the fields above
    Metrics metrics_begin;             ///< at `begin`
    Metrics metrics_end;               ///< renewed with `end`
};
static_assert(sizeof(Header) <= kHeaderBytes);

enum class Kind : std::uint32_t {
    none = 0,
    function = 1,
    partners = 2,
    thread = 3,
    phase = 4,
    communicator = 5,
    members = 6,
    collective = 7,
    module = 8,
    call_site = 9,
    openmp = 10,
    io = 11,               ///< a FunctionRecord too, of libc's
    trace_signature = 12,  ///< records of traces: recording.hpp
    trace_list = 13,
    trace_object = 14,
    trace_stream = 15,
};

struct RecordHeader {
    Kind kind;  ///< written last, so that a record is either whole or not there
    std::uint32_t bytes;
    std::uint32_t thread;
    std::uint32_t reserved;
};

/// The current position of a thread, which shows what a rank was doing when it was killed.
struct ThreadRecord {
    RecordHeader header = {};
    std::uint64_t current = 0;              ///< FunctionRecord::id of its latest call that can wait
    std::uint64_t current_begin_ticks = 0;  ///< it is still in that call if this is after `last_ticks`
    std::uint64_t first_ticks = 0;          ///< begin of its first call
    std::uint64_t last_ticks = 0;           ///< end of its latest call
};

/// Zero bytes have bin 0; bin k holds 2^(k-2) < bytes <= 2^(k-1).
inline constexpr unsigned kBins = 66;

[[nodiscard]] constexpr unsigned bin_of(std::uint64_t bytes) {
    if (bytes == 0) return 0;
    return 1 + (bytes == 1 ? 0U : 64U - static_cast<unsigned>(__builtin_clzll(bytes - 1)));
}

/// Inclusive upper bound of a bin [bytes]; saturates at the largest 64-bit value.
[[nodiscard]] constexpr std::uint64_t upper_bound_bytes(unsigned bin) {
    if (bin == 0) return 0;
    return bin > 64 ? ~std::uint64_t{0} : std::uint64_t{1} << (bin - 1);
}

struct Bin {
    std::uint64_t calls;
    std::uint64_t ticks;
};

/// One function as called by one thread in one phase. Calls and time are the sums over the bins and the pending calls.
struct FunctionRecord {
    RecordHeader header = {};
    std::uint64_t id = 0;  ///< from 1; the same for all threads of a process
    char name[48] = {};
    std::int64_t phase = 0;
    std::uint64_t bytes = 0;
    std::uint64_t receive_bytes = 0;
    Bin pending = {};              ///< calls that asked whether something is complete, and it was not
    std::uint64_t max_ticks = 0;   ///< of the longest call
    std::uint64_t sync_ticks = 0;  ///< in the barriers that --split-sync put before; not in the bins
    Bin bins[kBins] = {};
};

struct Partner {
    std::int64_t world_rank;  ///< destination; -1 marks an unused entry
    std::uint64_t bytes;
    std::uint64_t messages;
    std::uint64_t collective_bytes;  ///< in collectives whose arguments name each destination's share
    std::uint64_t collective_messages;
};

/// Destinations of one thread's messages.
struct PartnersRecord {
    RecordHeader header = {};
    std::uint64_t used = 0;  ///< leading entries that are valid
    Partner partners[40] = {};
};

/// A phase of the whole process, numbered by the program with MPI_Pcontrol.
struct PhaseRecord {
    RecordHeader header = {};
    std::int64_t phase = 0;
    std::uint64_t entries = 0;
    std::uint64_t ticks = 0;        ///< without the present stay
    std::uint64_t since_ticks = 0;  ///< begin of the present stay; 0 outside
};

/// A set of processes in the order of a communicator's ranks. Communicators of the same processes in
/// the same order count as one, so that a program may make and free any number of them.
struct CommunicatorRecord {
    RecordHeader header = {};
    std::uint64_t id = 0;           ///< from 1, of this process
    std::uint64_t fingerprint = 0;  ///< of the members' world ranks, the same on all of them
    std::int64_t size = 0;
    std::int64_t rank = 0;                ///< of this process in it
    std::uint64_t intercommunicator = 0;  ///< 1: its size and its members are the remote group's
    char name[64] = {};                   ///< as the program or the library named the first one
};

/// World ranks first, first + stride, … : `count` successive ranks of a communicator.
struct Stride {
    std::int32_t first;
    std::int32_t stride;
    std::int32_t count;
};

/// The members of a communicator, written by its rank 0 alone.
struct MembersRecord {
    RecordHeader header = {};
    std::uint64_t communicator = 0;  ///< CommunicatorRecord::id
    std::uint64_t used = 0;
    Stride strides[64] = {};
};

/// Roots that are not ranks.
inline constexpr std::int64_t kNoRoot = -1;         ///< of a collective without one; and MPI_PROC_NULL
inline constexpr std::int64_t kSeveralRoots = -2;   ///< beyond the limit of distinguished ones
inline constexpr std::int64_t kOwnGroupsRoot = -3;  ///< MPI_ROOT: this process, towards the other group

/// One collective function as called by one thread on one communicator, with one root.
struct CollectiveRecord {
    RecordHeader header = {};
    std::uint64_t communicator = 0;
    std::uint64_t function = 0;  ///< FunctionRecord::id
    char name[48] = {};
    std::int64_t root = 0;  ///< in the communicator, or one of the above
    std::uint64_t calls = 0;
    std::uint64_t ticks = 0;
    std::uint64_t sync_ticks = 0;
    std::uint64_t bytes = 0;
    std::uint64_t receive_bytes = 0;
};

/// A file that code was loaded from, or a function of Python.
struct ModuleRecord {
    RecordHeader header = {};
    std::uint64_t id = 0;    ///< from 1, of this process
    std::uint64_t base = 0;  ///< what the loader added to the file's addresses
    char path[1024] = {};
    char function[256] = {};  ///< of Python, whose file `path` is; empty otherwise
};

/// The path of all files beyond the limit of a process.
inline constexpr char kOtherModules[] = "(other files)";

/// The path of all places beyond the limit of a thread.
inline constexpr char kOtherPlaces[] = "(other places)";

/// One place in the program that called one function.
struct CallSiteRecord {
    RecordHeader header = {};
    std::uint64_t module = 0;
    std::uint64_t address = 0;  ///< return address, as the file has it; of Python the line
    std::uint64_t function = 0;
    char name[48] = {};
    std::uint64_t calls = 0;
    std::uint64_t ticks = 0;
    std::uint64_t sync_ticks = 0;
    std::uint64_t max_ticks = 0;
    std::uint64_t bytes = 0;
    std::uint64_t receive_bytes = 0;
};

/// One thread number of the process's OpenMP teams. A cache line, because each thread writes its own.
struct alignas(64) OpenMpThread {
    std::uint64_t regions;        ///< that it took part in
    std::uint64_t busy_ticks;     ///< in the regions, without the waits
    std::uint64_t barrier_ticks;  ///< waiting in barriers before the region's end
    std::uint64_t present_ticks;  ///< from the regions' begins to its own arrivals at their ends
    std::uint64_t tasks;          ///< explicit tasks that it made; barriers may run them
    std::uint64_t teams;          ///< regions whose last thread it was
    std::uint64_t team_ticks;     ///< time of the regions that `teams` counts
};

inline constexpr unsigned kOpenMpThreads = 512;  ///< thread numbers that are distinguished
inline constexpr unsigned kOpenMpBlock = 32;

struct OpenMpRecord {
    RecordHeader header = {};
    std::uint64_t first_thread = 0;
    OpenMpThread threads[kOpenMpBlock] = {};
};

}  // namespace waywiser::state
