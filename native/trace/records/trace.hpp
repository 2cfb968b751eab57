/// A trace of a whole job: every MPI call of every rank, with its times and its partners.
///
/// Times are integer nanoseconds, sizes bytes. A call is a signature (its parameters) and two times. Equal calls share
/// a signature, so that a loop becomes a repetition of few numbers.
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
    std::int32_t index;   ///< index into the call's `requests`
    std::int32_t source;  ///< source of a wildcard receive's message; else kNone
    std::int32_t tag;     ///< tag of a wildcard receive's message; else kNone

    [[nodiscard]] bool operator==(const Completion&) const = default;
};
WAYWISER_RECORD(Completion, index, source, tag)

/// All parameters of a call except its times. Ranks are those of `object`; for an intercommunicator, those of the
/// remote group. The lists are not owned.
struct Parameters {
    std::uint32_t function = 0;  ///< index into TraceJob::functions
    std::uint32_t site = 0;      ///< index into TraceJob::call_sites plus 1; 0: unknown
    Action action = Action::none;
    bool found = true;                ///< false: a test or a probe was unsuccessful
    std::int32_t object = kNone;      ///< communicator, window or file: index into TraceRank::objects
    std::int32_t created = kNone;     ///< object that the call made: index into TraceRank::objects
    std::int32_t peer = kNone;        ///< destination, root or target
    std::int32_t tag = kNone;         ///< tag of the message that is sent
    std::int32_t source = kNone;      ///< source argument of the receive or probe; may be kAny
    std::int32_t source_tag = kNone;  ///< tag argument of the receive or probe; may be kAny
    /// source of the message of a wildcard receive or probe that is complete when the call returns
    std::int32_t matched_source = kNone;
    /// tag of the message of a wildcard receive or probe that is complete when the call returns
    std::int32_t matched_tag = kNone;
    std::int32_t request = kNone;  ///< the request or message that the call made: the smallest free number
    std::int32_t message = kNone;  ///< the message that MPI_Mrecv received
    /// of some functions: level, partition or number of them, kind of lock, number of neighbours
    std::int64_t detail = 0;
    std::uint64_t bytes = 0;                 ///< payload that was sent, as in a profile
    std::uint64_t posted = 0;                ///< payload that receives were posted for
    std::span<const std::int32_t> requests;  ///< requests that were passed to the call, in its order
    std::span<const Completion> completed;   ///< ordered by index
    std::span<const std::uint64_t> counts;   ///< bytes to each rank, if a collective's arguments name them. Of
                                             ///< MPI_Win_post and MPI_Win_start: the group's ranks. Of a call that
                                             ///< makes a topology: the neighbours' ranks, first the `detail` sources,
                                             ///< then the destinations
};
/// Members of Parameters that are single numbers.
WAYWISER_RECORD(Parameters, function, site, action, found, object, created, peer, tag, source, source_tag,
                matched_source, matched_tag, request, message, detail, bytes, posted)

/// A call, or a run of equal unsuccessful polls.
struct TracedCall {
    std::uint64_t begin_ns = 0;  ///< since the start of the trace, on the clock of the reference host
    std::uint64_t end_ns = 0;
    /// number of consecutive polls: `begin_ns` is that of the first, `end_ns` that of the last
    std::uint64_t times = 1;
    std::uint64_t polling_ns = 0;  ///< time within these polls; end - begin if `times` is 1
};

/// An object over which ranks communicate. Two communicators of the same processes are two objects.
struct TraceObject {
    enum class Kind : std::uint8_t { communicator, window, file };

    Kind kind = Kind::communicator;
    std::uint64_t context = 0;  ///< equal on all members, and different for different objects
    bool intercommunicator = false;
    std::int64_t size = 0;  ///< size of the group to which peers belong
    std::string name;
    std::vector<Stride> members;    ///< world ranks of that group in its order; empty if unknown
    std::vector<Stride> own_group;  ///< local group of an intercommunicator, whose remote group is `members`

    [[nodiscard]] bool operator==(const TraceObject& other) const = default;
};
constexpr TraceObject::Kind last_of(TraceObject::Kind /*any*/) { return TraceObject::Kind::file; }
WAYWISER_RECORD(TraceObject, kind, context, intercommunicator, size, name, members, own_group)

/// Calls of one thread, in their order.
struct TraceStream {
    std::int64_t rank = -1;
    std::uint32_t thread = 0;
    std::uint64_t calls = 0;   ///< number of calls, in which each poll counts
    std::uint64_t events = 0;  ///< number of events, as read by a cursor: a run of polls counts as one
    std::uint64_t begin_ns = 0;
    std::uint64_t end_ns = 0;
};
WAYWISER_RECORD(TraceStream, rank, thread, calls, events, begin_ns, end_ns)

struct TraceRank {
    std::int64_t rank = -1;
    std::uint32_t host = 0;              ///< index into TraceJob::hosts
    std::vector<std::uint32_t> objects;  ///< index into TraceJob::objects by the rank's own numbers
    std::uint64_t begin_ns = 0;          ///< start of the first call
    std::uint64_t end_ns = 0;
    Ending ending = Ending::killed;
    std::uint64_t dropped_calls = 0;  ///< calls that were lost or are outside the window
};
WAYWISER_RECORD(TraceRank, rank, host, objects, begin_ns, end_ns, ending, dropped_calls)

/// The clock of a host relative to the first host's: common = local + offset + drift * (local - reference).
struct HostClock {
    std::string host;
    std::int64_t offset_ns = 0;
    double drift = 0;  ///< ns per ns
    std::uint64_t reference_ns = 0;
    std::uint64_t uncertainty_ns = 0;   ///< half the width of the interval that the messages allow
    std::string method = "same clock";  ///< how the offset is known
};
WAYWISER_RECORD(HostClock, host, offset_ns, drift, reference_ns, uncertainty_ns, method)

/// Data that all ranks share.
struct TraceJob {
    std::int64_t world_size = 0;
    std::string library;
    std::uint64_t begin_unix_ns = 0;  ///< wall-clock time at time 0
    std::vector<std::string> functions;
    std::vector<CallSite> call_sites;
    std::vector<TraceObject> objects;
    std::vector<HostClock> hosts;
    std::vector<TraceRank> ranks;      ///< in order of rank
    std::vector<TraceStream> streams;  ///< in order of rank and thread
    std::vector<std::string> lost;     ///< one sentence for each missing item
};

}  // namespace waywiser::trace
