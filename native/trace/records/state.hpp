/// The live state of one process: the data that the preloaded profiler keeps in node-local memory while the program
/// runs, and that remain after the process was killed.
///
/// A state is a header of `kHeaderBytes` followed by chunks of `kChunkBytes`. A chunk is a sequence of records; the
/// first record of kind `none` ends it. A state has no pointers, so a copy of the bytes can be read at any moment. A
/// file of saved states holds one state after another, each at a multiple of `kHeaderBytes`; bytes may be missing
/// between them and at the end. Times are ticks, which the two calibration points convert to nanoseconds. All structs
/// are plain data, because the profiler uses them without libstdc++.
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
    started,      ///< the process called MPI, but neither MPI_Init nor MPI_Session_init has returned
    initialised,  ///< between their return and MPI_Finalize, or the end of the last session
    finalised,    ///< neither MPI_Init nor any session is open any more
    aborted,      ///< the process called MPI_Abort
    exited,       ///< the process ended by exit() while MPI was initialised
};

enum class Abi : std::uint32_t { unknown, openmpi, mpich, standard };

/// A tick count and the value of CLOCK_MONOTONIC at the same moment.
struct Calibration {
    std::uint64_t ticks;
    std::uint64_t monotonic_ns;
};

inline constexpr std::uint64_t kUnknown = ~std::uint64_t{0};

/// The metrics of a rank, in the order of trace::kRankFields.
struct Metrics {
    static constexpr std::size_t kMost = 32;
    static_assert(trace::kRankFields.size() <= kMost);

    std::uint64_t values[kMost];  ///< kUnknown: unknown

    template <trace::Name kName>
    [[nodiscard]] std::uint64_t& at() {
        return values[trace::index_of<trace::kRankFields, kName>()];
    }
};

/// Header::perf_event_paranoid if the setting could not be read.
inline constexpr std::int32_t kNoSetting = -100;

struct Header {
    char magic[8];
    std::uint32_t header_bytes;
    std::uint32_t chunk_bytes;
    std::uint64_t chunks;  ///< allocated chunks, which may hold records
    std::uint32_t pid;
    Phase phase;
    std::int32_t world_rank;  ///< -1 until MPI is initialised
    std::int32_t world_size;  ///< 0 until MPI is initialised
    Abi abi;
    std::int32_t thread_level;
    Calibration begin;               ///< at the process's first MPI call
    Calibration end;                 ///< renewed about ten times a second, and at the end
    std::uint64_t init_begin_ticks;  ///< start of the first MPI_Init or MPI_Session_init
    /// end of the last MPI_Finalize or MPI_Session_finalize; 0 while MPI is initialised
    std::uint64_t finalize_end_ticks;
    std::uint64_t old_begin[4];           ///< if `fields` is 0: metrics from cpu_ns on
    std::uint64_t old_end[8];             ///< the same metrics
    std::uint32_t split_sync;             ///< 1: a barrier preceded each blocking collective
    std::uint32_t sharing;                ///< 1 + the lowest rank with which it shares memory; 0: unknown
    std::uint64_t old_counters_begin[2];  ///< if `fields` is 0: metrics from instructions on
    std::uint64_t old_counters_end[2];    ///< the same metrics
    char host[256];
    char cpus[1024];     ///< in the kernel's notation, e.g. "0-3,8"
    char library[1024];  ///< the first line of MPI_Get_library_version
    char transport[256];
    std::uint64_t process_start;       ///< clock ticks since boot; identifies the process together with `pid`
    std::uint64_t begin_unix_ns;       ///< CLOCK_REALTIME at `begin`; 0: unknown
    std::uint64_t lost_lists;          ///< lists of traced calls that did not fit and are read as empty
    std::uint64_t other_objects;       ///< objects of a trace beyond the limit of distinguished ones
    std::int32_t counters_error;       ///< errno of perf_event_open(2); 0: the counters work
    std::int32_t end_unseen;           ///< 1: the collector did not see when the process was killed
    std::int32_t perf_event_paranoid;  ///< the kernel's setting of that name
    std::uint32_t fields;              ///< number of metrics; 0: an old state, which has the members above
    Metrics metrics_begin;             ///< metrics at `begin`
    Metrics metrics_end;               ///< metrics at `end`
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
    io = 11,               ///< a FunctionRecord of libc's calls
    trace_signature = 12,  ///< this and the following are records of traces: recording.hpp
    trace_list = 13,
    trace_object = 14,
    trace_stream = 15,
};

struct RecordHeader {
    Kind kind;  ///< written last, so that a record is either complete or absent
    std::uint32_t bytes;
    std::uint32_t thread;
    std::uint32_t reserved;
};

/// The current position of a thread, which shows what a rank was doing when it was killed.
struct ThreadRecord {
    RecordHeader header = {};
    std::uint64_t current = 0;              ///< FunctionRecord::id of its latest call that may wait
    std::uint64_t current_begin_ticks = 0;  ///< the thread is still in that call if this is later than `last_ticks`
    std::uint64_t first_ticks = 0;          ///< start of its first call
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

/// One function's calls by one thread in one phase. Calls and time are the sums over the bins and the pending calls.
struct FunctionRecord {
    RecordHeader header = {};
    std::uint64_t id = 0;  ///< number, from 1; the same for all threads of a process
    char name[48] = {};
    std::int64_t phase = 0;
    std::uint64_t bytes = 0;
    std::uint64_t receive_bytes = 0;
    Bin pending = {};              ///< calls that tested for completion without success
    std::uint64_t max_ticks = 0;   ///< duration of the longest call
    std::uint64_t sync_ticks = 0;  ///< in the barriers that --split-sync inserted; not in the bins
    Bin bins[kBins] = {};
};

struct Partner {
    std::int64_t world_rank;  ///< destination; -1 marks an unused entry
    std::uint64_t bytes;
    std::uint64_t messages;
    std::uint64_t collective_bytes;  ///< in collectives whose arguments specify each destination's share
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
    std::uint64_t ticks = 0;        ///< time in the phase without the current stay
    std::uint64_t since_ticks = 0;  ///< start of the current stay; 0 outside
};

/// A set of processes in the order of a communicator's ranks. Communicators of the same processes in
/// the same order count as one, so that a program may make and free any number of them.
struct CommunicatorRecord {
    RecordHeader header = {};
    std::uint64_t id = 0;           ///< number in this process, from 1
    std::uint64_t fingerprint = 0;  ///< hash of the members' world ranks, equal on all members
    std::int64_t size = 0;
    std::int64_t rank = 0;                ///< rank of this process in the communicator
    std::uint64_t intercommunicator = 0;  ///< 1: `size` and members are those of the remote group
    char name[64] = {};                   ///< name that the program or the library gave to the first of them
};

/// World ranks first, first + stride, … of `count` successive ranks of a communicator.
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

/// Values for roots that are not ranks.
inline constexpr std::int64_t kNoRoot = -1;         ///< a collective without a root; also MPI_PROC_NULL
inline constexpr std::int64_t kSeveralRoots = -2;   ///< the roots beyond the limit of distinguished ones
inline constexpr std::int64_t kOwnGroupsRoot = -3;  ///< MPI_ROOT: this process, towards the other group

/// One collective function's calls by one thread on one communicator with one root.
struct CollectiveRecord {
    RecordHeader header = {};
    std::uint64_t communicator = 0;
    std::uint64_t function = 0;  ///< FunctionRecord::id
    char name[48] = {};
    std::int64_t root = 0;  ///< rank in the communicator, or one of the values above
    std::uint64_t calls = 0;
    std::uint64_t ticks = 0;
    std::uint64_t sync_ticks = 0;
    std::uint64_t bytes = 0;
    std::uint64_t receive_bytes = 0;
};

/// A file from which code was loaded, or a function of Python.
struct ModuleRecord {
    RecordHeader header = {};
    std::uint64_t id = 0;    ///< number in this process, from 1
    std::uint64_t base = 0;  ///< base address that the loader added to the file's addresses
    char path[1024] = {};
    char function[256] = {};  ///< function of Python in the file `path`; empty otherwise
};

/// Path of all files beyond the limit per process.
inline constexpr char kOtherModules[] = "(other files)";

/// Path of all call sites beyond the limit per thread.
inline constexpr char kOtherPlaces[] = "(other places)";

/// One call site of one function.
struct CallSiteRecord {
    RecordHeader header = {};
    std::uint64_t module = 0;
    std::uint64_t address = 0;  ///< return address relative to the file; the line for Python
    std::uint64_t function = 0;
    char name[48] = {};
    std::uint64_t calls = 0;
    std::uint64_t ticks = 0;
    std::uint64_t sync_ticks = 0;
    std::uint64_t max_ticks = 0;
    std::uint64_t bytes = 0;
    std::uint64_t receive_bytes = 0;
};

/// One thread number of the process's OpenMP teams. The struct fills a cache line, because each thread writes its own.
struct alignas(64) OpenMpThread {
    std::uint64_t regions;        ///< regions in which it took part
    std::uint64_t busy_ticks;     ///< in the regions, without waits
    std::uint64_t barrier_ticks;  ///< in barriers before the region's end
    std::uint64_t present_ticks;  ///< from the regions' starts to its own arrivals at their ends
    std::uint64_t tasks;          ///< explicit tasks that it created; barriers may run them
    std::uint64_t teams;          ///< regions in which it was the last thread
    std::uint64_t team_ticks;     ///< time of the regions that `teams` counts
};

inline constexpr unsigned kOpenMpThreads = 512;  ///< number of distinguished threads
inline constexpr unsigned kOpenMpBlock = 32;

struct OpenMpRecord {
    RecordHeader header = {};
    std::uint64_t first_thread = 0;
    OpenMpThread threads[kOpenMpBlock] = {};
};

}  // namespace waywiser::state
