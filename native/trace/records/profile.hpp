/// A profile of a whole job in memory: what every rank called, how long, and what it sent.
///
/// Times are integer nanoseconds, sizes bytes, ranks those of MPI_COMM_WORLD.
#pragma once

#include <algorithm>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/members.hpp"
#include "trace/records/fields.hpp"

namespace waywiser::trace {

/// Upper bound of ranks, beyond any machine: a larger number is damage.
inline constexpr std::int64_t kMaxRanks = std::int64_t{1} << 24;

/// Upper bound of a job's size if this number of ranks has left data. Each claimed rank costs work, so a few bytes must
/// not claim millions. A large job that lost nearly all ranks is still read.
[[nodiscard]] constexpr std::int64_t most_ranks(std::size_t present) {
    constexpr std::int64_t kLost = std::int64_t{1} << 18;
    constexpr std::size_t kLostForEach = 64;
    const bool any = present > static_cast<std::size_t>(kMaxRanks) / kLostForEach;
    return any ? kMaxRanks : std::max(kLost, static_cast<std::int64_t>(present * kLostForEach));
}

/// Calls of one message-size bin.
struct SizeCount {
    std::uint64_t upper_bound_bytes;  ///< upper bound of the bin [bytes], inclusive
    std::uint64_t calls;
    std::uint64_t ns;
};
WAYWISER_RECORD(SizeCount, upper_bound_bytes, calls, ns)

/// Calls of one kind with their time and their payload.
struct Load {
    std::uint64_t calls = 0;
    std::uint64_t ns = 0;
    std::uint64_t max_ns = 0;   ///< duration of the longest call
    std::uint64_t sync_ns = 0;  ///< in the barriers that --split-sync inserted; not in `ns`
    std::uint64_t bytes = 0;
    std::uint64_t receive_bytes = 0;
};

/// A function's calls by one thread in one phase.
struct FunctionProfile {
    std::string name;
    std::int64_t phase = 1;
    Load load;                        ///< load of all calls
    std::uint64_t pending_calls = 0;  ///< calls among these that tested for completion without success
    std::uint64_t pending_ns = 0;
    std::vector<SizeCount> sizes;  ///< in rising order without empty bins; the sum is all calls
};
WAYWISER_RECORD(FunctionProfile, name, phase, load, pending_calls, pending_ns, sizes)

/// One thread that called MPI, in the order of first calls.
struct ThreadProfile {
    std::uint64_t ns = 0;                    ///< from its first call to the end of its latest
    std::vector<FunctionProfile> functions;  ///< in order of name and phase
};
WAYWISER_RECORD(ThreadProfile, ns, functions)

struct Message {
    std::int64_t destination;
    std::uint64_t bytes;  ///< point to point
    std::uint64_t messages;
    std::uint64_t collective_bytes;  ///< in collectives whose arguments specify each destination's share
    std::uint64_t collective_messages;
};

/// A part of the program that it numbered by MPI_Pcontrol.
struct PhaseProfile {
    std::int64_t phase;
    std::uint64_t entries;
    std::uint64_t ns;
};
WAYWISER_RECORD(PhaseProfile, phase, entries, ns)

/// The `count` world ranks first, first + stride, ….
struct Stride {
    std::int64_t first;
    std::int64_t stride;
    std::int64_t count;
};
WAYWISER_RECORD(Stride, first, stride, count)

/// A set of processes in the order of a communicator's ranks; communicators of the same processes in the same order
/// count as one.
struct Communicator {
    std::int64_t size = 0;  ///< -1: represents the communicators beyond the limit of distinguished ones
    std::uint64_t fingerprint = 0;
    bool intercommunicator = false;  ///< size and members are the remote group's
    std::string name;                ///< name that the program or the library gave to the first of them
    std::vector<Stride> members;     ///< world ranks; empty if unknown

    [[nodiscard]] bool operator==(const Communicator& other) const = default;
};
WAYWISER_RECORD(Communicator, size, fingerprint, intercommunicator, name, members)

/// A collective's calls by one rank on one communicator with one root.
struct CollectiveProfile {
    std::uint64_t communicator;  ///< index into Profile::communicators
    std::string function;
    std::int64_t root;  ///< rank in the communicator; -1: none; -2: several; -3: the rank itself, towards another group
    Load load;
};
WAYWISER_RECORD(CollectiveProfile, communicator, function, root, load)

/// A place in the program from which an MPI function is called.
struct CallSite {
    std::string module;     ///< the file from which the code was loaded
    std::uint64_t address;  ///< return address relative to that file; the line for Python
    std::string place;      ///< "solve at cg.c:131" after symbols were resolved

    [[nodiscard]] auto operator<=>(const CallSite& other) const = default;
};
WAYWISER_RECORD(CallSite, module, address, place)

/// A function's calls by one rank from one call site.
struct CallSiteProfile {
    std::uint64_t site;  ///< index into Profile::call_sites
    std::string function;
    Load load;
};
WAYWISER_RECORD(CallSiteProfile, site, function, load)

/// A thread number of a rank's OpenMP teams.
struct OpenMpThread {
    std::uint64_t regions;     ///< regions in which it took part
    std::uint64_t busy_ns;     ///< time in the regions, without waits
    std::uint64_t barrier_ns;  ///< time in barriers before the region's end
    std::uint64_t end_ns;      ///< time at the regions' ends
};
WAYWISER_RECORD(OpenMpThread, regions, busy_ns, barrier_ns, end_ns)

/// Parallel regions of a rank between MPI_Init and MPI_Finalize, without nested regions.
struct OpenMpProfile {
    std::uint64_t regions = 0;
    std::uint64_t ns = 0;
    std::uint64_t tasks = 0;  ///< explicit tasks; waits in barriers include the tasks that ran there
    std::vector<OpenMpThread> threads;
};
WAYWISER_RECORD(OpenMpProfile, regions, ns, tasks, threads)

/// How a rank ended.
enum class Ending : std::uint32_t {
    killed,     ///< killed by a signal or by the launcher, or still running
    finalised,  ///< MPI_Finalize returned
    aborted,    ///< the rank called MPI_Abort
    exited,     ///< the rank called exit() without MPI_Finalize
};
constexpr Ending last_of(Ending /*any*/) { return Ending::exited; }

struct RankProfile : Values<kRankFields> {
    std::int64_t rank = -1;
    std::uint32_t pid = 0;
    Ending ending = Ending::killed;
    std::string inside;       ///< the call in which the rank ended; empty outside MPI
    bool end_unseen = false;  ///< the rank was killed while not observed; not stored, see Profile::lost
    std::string host;
    std::string cpus;         ///< in the kernel's notation, e.g. "0-3,8"
    std::string not_counted;  ///< why instructions and cycles are 0, as text for users; empty if they are counted
    std::vector<ThreadProfile> threads;
    std::vector<Message> messages;  ///< in order of destination
    std::vector<PhaseProfile> phases;
    std::vector<CollectiveProfile> collectives;
    std::vector<CallSiteProfile> call_sites;
    OpenMpProfile openmp;
    std::vector<FunctionProfile> io;  ///< libc's calls on files that the program itself made
    std::uint64_t sharing = 0;        ///< 1 + the lowest rank with which it shares memory; 0: unknown
};

struct NodeProfile : Values<kNodeFields> {
    std::string host;
    std::array<std::string, kNodeFields.size()> unknown;  ///< by field: why it is unknown; empty if it is known
};

struct Profile {
    std::int64_t world_size = 0;
    std::string abi = "unknown";  ///< "openmpi", "mpich", "standard" or "unknown"
    std::string library;          ///< first line of MPI_Get_library_version
    std::string transport;
    bool split_sync = false;  ///< a barrier preceded each blocking collective
    std::vector<Communicator> communicators;
    std::vector<CallSite> call_sites;
    std::vector<RankProfile> ranks;  ///< in order of rank; ranks without data are absent
    std::vector<NodeProfile> nodes;  ///< by host
    std::vector<std::string> lost;   ///< one sentence for each missing item
};

}  // namespace waywiser::trace
