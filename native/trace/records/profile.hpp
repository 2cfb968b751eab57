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

/// More ranks than any machine starts: a larger number comes from damage.
inline constexpr std::int64_t kMaxRanks = std::int64_t{1} << 24;

/// The most ranks that a job may claim to have if this number of ranks has left data. Work is done for each claimed
/// rank, so a few bytes must not claim millions; a large job whose ranks were nearly all lost is still read.
[[nodiscard]] constexpr std::int64_t most_ranks(std::size_t present) {
    constexpr std::int64_t kLost = std::int64_t{1} << 18;
    constexpr std::size_t kLostForEach = 64;
    const bool any = present > static_cast<std::size_t>(kMaxRanks) / kLostForEach;
    return any ? kMaxRanks : std::max(kLost, static_cast<std::int64_t>(present * kLostForEach));
}

/// Calls of one message-size bin.
struct SizeCount {
    std::uint64_t upper_bound_bytes;  ///< inclusive
    std::uint64_t calls;
    std::uint64_t ns;
};
WAYWISER_RECORD(SizeCount, upper_bound_bytes, calls, ns)

/// Calls of one kind with their time and their payload.
struct Load {
    std::uint64_t calls = 0;
    std::uint64_t ns = 0;
    std::uint64_t max_ns = 0;   ///< of the longest call
    std::uint64_t sync_ns = 0;  ///< in the barriers that --split-sync put before; not in `ns`
    std::uint64_t bytes = 0;
    std::uint64_t receive_bytes = 0;
};

/// A function as one thread called it in one phase.
struct FunctionProfile {
    std::string name;
    std::int64_t phase = 1;
    Load load;                        ///< of all calls
    std::uint64_t pending_calls = 0;  ///< of these: asked whether something is complete, and it was not
    std::uint64_t pending_ns = 0;
    std::vector<SizeCount> sizes;  ///< in rising order, empty bins left out; sums to all calls
};
WAYWISER_RECORD(FunctionProfile, name, phase, load, pending_calls, pending_ns, sizes)

/// One thread that called MPI, in the order of first calls.
struct ThreadProfile {
    std::uint64_t ns = 0;                    ///< from its first call to the end of its latest
    std::vector<FunctionProfile> functions;  ///< by name and phase
};
WAYWISER_RECORD(ThreadProfile, ns, functions)

struct Message {
    std::int64_t destination;
    std::uint64_t bytes;  ///< point to point
    std::uint64_t messages;
    std::uint64_t collective_bytes;  ///< in collectives whose arguments name each destination's share
    std::uint64_t collective_messages;
};

/// A stretch of the program that it numbered by MPI_Pcontrol.
struct PhaseProfile {
    std::int64_t phase;
    std::uint64_t entries;
    std::uint64_t ns;
};
WAYWISER_RECORD(PhaseProfile, phase, entries, ns)

/// World ranks first, first + stride, …: `count` of them.
struct Stride {
    std::int64_t first;
    std::int64_t stride;
    std::int64_t count;
};
WAYWISER_RECORD(Stride, first, stride, count)

/// A set of processes in the order of a communicator's ranks; communicators of the same processes in
/// the same order are one.
struct Communicator {
    std::int64_t size = 0;  ///< -1: any communicator beyond the limit of distinguished ones
    std::uint64_t fingerprint = 0;
    bool intercommunicator = false;  ///< size and members are the remote group's
    std::string name;                ///< as the program or the library named the first one
    std::vector<Stride> members;     ///< world ranks; empty if not known

    [[nodiscard]] bool operator==(const Communicator& other) const = default;
};
WAYWISER_RECORD(Communicator, size, fingerprint, intercommunicator, name, members)

/// A collective as one rank called it on one communicator with one root.
struct CollectiveProfile {
    std::uint64_t communicator;  ///< index into Profile::communicators
    std::string function;
    std::int64_t root;  ///< in the communicator; -1: none; -2: several; -3: itself, towards another group
    Load load;
};
WAYWISER_RECORD(CollectiveProfile, communicator, function, root, load)

/// A place in the program.
struct CallSite {
    std::string module;     ///< the file that the code was loaded from
    std::uint64_t address;  ///< return address, as that file has it; of Python the line
    std::string place;      ///< "solve at cg.c:131", once it is looked up

    [[nodiscard]] auto operator<=>(const CallSite& other) const = default;
};
WAYWISER_RECORD(CallSite, module, address, place)

/// A function as one rank called it from one place.
struct CallSiteProfile {
    std::uint64_t site;  ///< index into Profile::call_sites
    std::string function;
    Load load;
};
WAYWISER_RECORD(CallSiteProfile, site, function, load)

/// A thread number of a rank's OpenMP teams.
struct OpenMpThread {
    std::uint64_t regions;     ///< that it took part in
    std::uint64_t busy_ns;     ///< in the regions, without the waits
    std::uint64_t barrier_ns;  ///< waiting in barriers before the region's end
    std::uint64_t end_ns;      ///< waiting at the regions' ends
};
WAYWISER_RECORD(OpenMpThread, regions, busy_ns, barrier_ns, end_ns)

/// Parallel regions of a rank between MPI_Init and MPI_Finalize, without nested regions.
struct OpenMpProfile {
    std::uint64_t regions = 0;
    std::uint64_t ns = 0;
    std::uint64_t tasks = 0;  ///< explicit tasks; waits in barriers hold the tasks that ran there
    std::vector<OpenMpThread> threads;
};
WAYWISER_RECORD(OpenMpProfile, regions, ns, tasks, threads)

/// The way a rank ended.
enum class Ending : std::uint32_t {
    killed,     ///< by a signal, or by the launcher, or it is still running
    finalised,  ///< MPI_Finalize returned
    aborted,    ///< it called MPI_Abort
    exited,     ///< exit() without MPI_Finalize
};
constexpr Ending last_of(Ending /*any*/) { return Ending::exited; }

struct RankProfile : Values<kRankFields> {
    std::int64_t rank = -1;
    std::uint32_t pid = 0;
    Ending ending = Ending::killed;
    std::string inside;       ///< the call it was in when it ended; empty outside MPI
    bool end_unseen = false;  ///< killed while not observed; not stored, see Profile::lost
    std::string host;
    std::string cpus;         ///< as the kernel lists them, e.g. "0-3,8"
    std::string not_counted;  ///< why instructions and cycles are 0, as people say it; empty where they count
    std::vector<ThreadProfile> threads;
    std::vector<Message> messages;  ///< by destination
    std::vector<PhaseProfile> phases;
    std::vector<CollectiveProfile> collectives;
    std::vector<CallSiteProfile> call_sites;
    OpenMpProfile openmp;
    std::vector<FunctionProfile> io;  ///< libc's, on files, made by the program itself
    std::uint64_t sharing = 0;        ///< 1 + the lowest of the ranks that it shares memory with; 0: not known
};

struct NodeProfile : Values<kNodeFields> {
    std::string host;
    std::array<std::string, kNodeFields.size()> unknown;  ///< by field: why it is not known; empty where it is
};

struct Profile {
    std::int64_t world_size = 0;
    std::string abi = "unknown";  ///< "openmpi", "mpich", "standard" or "unknown"
    std::string library;          ///< first line of MPI_Get_library_version
    std::string transport;
    bool split_sync = false;  ///< a barrier stood before each blocking collective
    std::vector<Communicator> communicators;
    std::vector<CallSite> call_sites;
    std::vector<RankProfile> ranks;  ///< by rank; ranks that left no data are absent
    std::vector<NodeProfile> nodes;  ///< by host
    std::vector<std::string> lost;   ///< one sentence for each thing that is missing
};

}  // namespace waywiser::trace
