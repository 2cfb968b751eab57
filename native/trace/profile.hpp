/// A profile of a whole job in memory: what every rank called, how long, and what it sent.
///
/// Times are integer nanoseconds, sizes bytes, ranks those of MPI_COMM_WORLD.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace waywiser::trace {

/// More ranks than any machine starts: a larger number comes from damage.
inline constexpr std::int64_t kMaxRanks = std::int64_t{1} << 24;

/// Calls of one message-size bin.
struct SizeCount {
    std::uint64_t upper_bound_bytes;  ///< inclusive
    std::uint64_t calls;
    std::uint64_t ns;
};

struct FunctionProfile {
    std::string name;
    std::uint64_t bytes = 0;
    std::uint64_t posted_bytes = 0;
    std::vector<SizeCount> sizes;  ///< in rising order, empty bins left out; sums to all calls
};

/// One thread that called MPI, in the order of first calls.
struct ThreadProfile {
    std::vector<FunctionProfile> functions;  ///< by name
};

struct Message {
    std::int64_t destination;
    std::uint64_t bytes;
    std::uint64_t messages;
};

/// How a rank ended.
enum class Ending : std::uint32_t {
    killed,     ///< by a signal, or by the launcher, or it is still running
    finalised,  ///< MPI_Finalize returned
    aborted,    ///< it called MPI_Abort
    exited,     ///< exit() without MPI_Finalize
};

struct RankProfile {
    std::int64_t rank = -1;
    std::uint32_t pid = 0;
    Ending ending = Ending::killed;
    std::string inside;  ///< the call it was in when it ended; empty outside MPI
    std::string host;
    std::string cpus;  ///< as the kernel lists them, e.g. "0-3,8"
    std::uint64_t wall_ns = 0;
    std::uint64_t init_ns = 0;
    std::uint64_t finalize_ns = 0;
    std::uint64_t cpu_ns = 0;
    std::uint64_t voluntary_switches = 0;
    std::uint64_t involuntary_switches = 0;
    std::uint64_t peak_memory_bytes = 0;
    std::uint64_t outside_world_messages = 0;
    std::uint64_t outside_world_bytes = 0;
    std::uint64_t unrecorded_calls = 0;
    std::vector<ThreadProfile> threads;
    std::vector<Message> messages;  ///< by destination
};

struct Profile {
    std::int64_t world_size = 0;
    std::string abi = "unknown";  ///< "openmpi", "mpich", "standard" or "unknown"
    std::string library;          ///< first line of MPI_Get_library_version
    std::string transport;
    std::vector<RankProfile> ranks;  ///< by rank; those that left nothing are absent
    std::vector<std::string> lost;   ///< one sentence for each thing that is missing
};

}  // namespace waywiser::trace
