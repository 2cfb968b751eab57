/// A trace of a whole job: every MPI call of every rank, with what it waited for and when.
///
/// Times are integer nanoseconds, sizes bytes. A call is a signature (what it was) and two times.
/// Equal calls share a signature, so that a loop is a repetition of few numbers.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "trace/records/action.hpp"
#include "trace/records/profile.hpp"

namespace waywiser::trace {

/// A request that a call has completed.
struct Completion {
    std::int32_t index;   ///< in the call's `requests`
    std::int32_t source;  ///< of a receive that named none: where its message came from; else kNone
    std::int32_t tag;     ///< of a receive that named none: the tag of its message; else kNone

    [[nodiscard]] bool operator==(const Completion&) const = default;
};
WAYWISER_RECORD(Completion, index, source, tag)

/// All of a call except its time. Ranks are ranks of `object`; for an intercommunicator, of the remote group. The lists
/// are not owned.
struct Parameters {
    std::uint32_t function = 0;  ///< index into TraceJob::functions
    std::uint32_t site = 0;      ///< index into TraceJob::call_sites plus 1; 0: not known
    Action action = Action::none;
    bool found = true;                    ///< false: a test or a probe was unsuccessful
    std::int32_t object = kNone;          ///< communicator, window or file: index into TraceRank::objects
    std::int32_t created = kNone;         ///< that the call made: index into TraceRank::objects
    std::int32_t peer = kNone;            ///< destination, root or target
    std::int32_t tag = kNone;             ///< of what is sent
    std::int32_t source = kNone;          ///< as the receive or the probe named it; may be kAny
    std::int32_t source_tag = kNone;      ///< as the receive or the probe named it; may be kAny
    std::int32_t matched_source = kNone;  ///< of a receive or a probe that named none and is done when the call returns
    std::int32_t matched_tag = kNone;     ///< of a receive or a probe that named none and is done when the call returns
    std::int32_t request = kNone;         ///< the request or message that the call made: smallest number that was free
    std::int32_t message = kNone;         ///< the message that it received (MPI_Mrecv)
    std::int64_t detail = 0;              ///< of few functions: level, partition or how many, kind of lock, number of
                                          ///< neighbours
    std::uint64_t bytes = 0;              ///< sent, as a profile has them
    std::uint64_t posted = 0;             ///< made ready to receive
    std::span<const std::int32_t> requests;  ///< that the call was given, in its order
    std::span<const Completion> completed;   ///< in rising order of index
    std::span<const std::uint64_t> counts;   ///< bytes to each rank, if a collective's arguments name them. Of
                                             ///< MPI_Win_post and MPI_Win_start: the group's ranks. Of a call that
                                             ///< makes a topology: the neighbours' ranks, first the `detail` sources,
                                             ///< then the destinations
};
/// Members of Parameters that are single numbers.
WAYWISER_RECORD(Parameters, function, site, action, found, object, created, peer, tag, source, source_tag,
                matched_source, matched_tag, request, message, detail, bytes, posted)

/// A call, or a run of the same polls that found nothing.
struct TracedCall {
    std::uint64_t begin_ns = 0;  ///< since the trace's begin, on the clock of the reference host
    std::uint64_t end_ns = 0;
    std::uint64_t times = 1;       ///< of polls in a row: `begin_ns` of the first, `end_ns` of the last
    std::uint64_t polling_ns = 0;  ///< of these: time within the calls; end - begin where times is 1
};

/// An object that ranks communicate over. Two communicators of the same processes are two objects.
struct TraceObject {
    enum class Kind : std::uint8_t { communicator, window, file };

    Kind kind = Kind::communicator;
    std::uint64_t context = 0;  ///< the same on all members, and different for different objects
    bool intercommunicator = false;
    std::int64_t size = 0;  ///< of the group that peers are ranks of
    std::string name;
    std::vector<Stride> members;    ///< world ranks, of that group in its order; empty if not known
    std::vector<Stride> own_group;  ///< of an intercommunicator: the local group; `members` is the remote one

    [[nodiscard]] bool operator==(const TraceObject& other) const = default;
};
constexpr TraceObject::Kind last_of(TraceObject::Kind /*any*/) { return TraceObject::Kind::file; }
WAYWISER_RECORD(TraceObject, kind, context, intercommunicator, size, name, members, own_group)

/// Calls of one thread, in their order.
struct TraceStream {
    std::int64_t rank = -1;
    std::uint32_t thread = 0;
    std::uint64_t calls = 0;   ///< each poll counts
    std::uint64_t events = 0;  ///< a run of polls counts as one: what a cursor gives
    std::uint64_t begin_ns = 0;
    std::uint64_t end_ns = 0;
};
WAYWISER_RECORD(TraceStream, rank, thread, calls, events, begin_ns, end_ns)

struct TraceRank {
    std::int64_t rank = -1;
    std::uint32_t host = 0;              ///< index into TraceJob::hosts
    std::vector<std::uint32_t> objects;  ///< index into TraceJob::objects, by the rank's own numbers
    std::uint64_t begin_ns = 0;          ///< first call
    std::uint64_t end_ns = 0;
    Ending ending = Ending::killed;
    std::uint64_t dropped_calls = 0;  ///< made, but lost or outside the window
};
WAYWISER_RECORD(TraceRank, rank, host, objects, begin_ns, end_ns, ending, dropped_calls)

/// The clock of a host relative to the first host's: common = local + offset + drift * (local - reference).
struct HostClock {
    std::string host;
    std::int64_t offset_ns = 0;
    double drift = 0;  ///< ns per ns
    std::uint64_t reference_ns = 0;
    std::uint64_t uncertainty_ns = 0;   ///< half the width of what the messages leave open
    std::string method = "same clock";  ///< how it is known
};
WAYWISER_RECORD(HostClock, host, offset_ns, drift, reference_ns, uncertainty_ns, method)

/// Data that all ranks share.
struct TraceJob {
    std::int64_t world_size = 0;
    std::string library;
    std::uint64_t begin_unix_ns = 0;  ///< wall clock at time 0
    std::vector<std::string> functions;
    std::vector<CallSite> call_sites;
    std::vector<TraceObject> objects;
    std::vector<HostClock> hosts;
    std::vector<TraceRank> ranks;      ///< by rank
    std::vector<TraceStream> streams;  ///< by rank and thread
    std::vector<std::string> lost;     ///< one sentence for each thing that is missing
};

}  // namespace waywiser::trace
