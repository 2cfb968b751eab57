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

namespace waywiser::state {

inline constexpr char kMagic[8] = {'W', 'W', 'S', 'T', 'A', 'T', 'E', '1'};
inline constexpr std::size_t kHeaderBytes = 4096;
inline constexpr std::size_t kChunkBytes = std::size_t{64} * 1024;

/// How far a process came. Later values are only reached from earlier ones.
enum class Phase : std::uint32_t {
    started,      ///< called MPI, MPI_Init has not returned
    initialised,  ///< between MPI_Init and MPI_Finalize
    finalised,    ///< MPI_Finalize has returned
    aborted,      ///< called MPI_Abort
    exited,       ///< ended by exit() without MPI_Finalize
};

enum class Abi : std::uint32_t { unknown, openmpi, mpich, standard };

/// A tick count and the value of CLOCK_MONOTONIC at the same moment.
struct Calibration {
    std::uint64_t ticks;
    std::uint64_t monotonic_ns;
};

/// Counters that the kernel keeps for the process.
struct Usage {
    std::uint64_t cpu_ns;  ///< user and system time
    std::uint64_t voluntary_switches;
    std::uint64_t involuntary_switches;
};

struct Header {
    char magic[8];
    std::uint32_t header_bytes;
    std::uint32_t chunk_bytes;
    std::uint64_t chunks;  ///< chunks that are allocated and may hold records
    std::uint32_t pid;
    Phase phase;
    std::int32_t world_rank;  ///< -1 until MPI_Init has returned
    std::int32_t world_size;  ///< 0 until MPI_Init has returned
    Abi abi;
    std::int32_t thread_level;
    Calibration begin;  ///< at the process's first MPI call
    Calibration end;    ///< renewed about ten times a second, and at the end
    std::uint64_t init_begin_ticks;
    std::uint64_t init_end_ticks;
    std::uint64_t finalize_begin_ticks;
    std::uint64_t finalize_end_ticks;
    Usage usage_begin;
    Usage usage_end;  ///< renewed with `end`
    std::uint64_t peak_memory_bytes;
    std::uint64_t outside_world_messages;  ///< sent to a process that is not in MPI_COMM_WORLD
    std::uint64_t outside_world_bytes;
    std::uint64_t unrecorded_calls;  ///< for which there was no memory left
    char host[256];
    char cpus[1024];     ///< as the kernel lists them, e.g. "0-3,8"
    char library[1024];  ///< the first line of MPI_Get_library_version
    char transport[256];
    std::uint64_t process_start;  ///< clock ticks since boot; with `pid`, names the process
};
static_assert(sizeof(Header) <= kHeaderBytes);

enum class Kind : std::uint32_t { none = 0, function = 1, partners = 2, thread = 3 };

struct RecordHeader {
    Kind kind;  ///< written last, so that a record is either whole or not there
    std::uint32_t bytes;
    std::uint32_t thread;
    std::uint32_t reserved;
};

/// Where a thread is. Tells what a rank was doing when it was killed.
struct ThreadRecord {
    RecordHeader header;
    std::uint64_t current;  ///< FunctionRecord::id of the call it is in, 0 outside MPI
    std::uint64_t current_begin_ticks;
    std::uint64_t last_ticks;  ///< end of its latest call
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

/// One function as one thread called it. Calls and time are the sums over the bins.
struct FunctionRecord {
    RecordHeader header;
    std::uint64_t id;  ///< from 1; the same for all threads of a process
    char name[48];
    std::uint64_t bytes;
    std::uint64_t posted_bytes;
    Bin bins[kBins];
};

struct Partner {
    std::int64_t world_rank;  ///< destination; -1 marks an unused entry
    std::uint64_t bytes;
    std::uint64_t messages;
};

/// Destinations of one thread's point-to-point messages.
struct PartnersRecord {
    RecordHeader header;
    std::uint64_t used;  ///< leading entries that are valid
    Partner partners[40];
};

}  // namespace waywiser::state
