/// Waiting, apart from transfer: the waits of each rank, their causes, and the critical path.
///
/// Definitions are Scalasca's (docs/design/011-traces.md cites them), except for last_ranks, which it lacks.
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "base/progress.hpp"
#include "trace/reading/trace_reader.hpp"

namespace waywiser::explain {

enum class Wait : std::uint8_t {
    late_sender,    ///< in a receive, or waiting for one, before its message was sent
    late_receiver,  ///< in a synchronous send before its receive was posted
    barrier,        ///< in a barrier before its last rank arrived
    all_to_all,     ///< in an n-to-n collective before its last rank arrived
    late_root,      ///< in a 1-to-n collective before its root arrived
    early_root,     ///< of the root in an n-to-1 collective, before the first of the others arrived
    last_ranks,  ///< of the root in an n-to-1 collective, between the arrivals of the first and the last of the others
    earlier_ranks,  ///< in a scan before the last of the preceding ranks arrived
    rma,            ///< in a fence of a window before its last rank arrived
    make_object,    ///< in a collective that makes a communicator, a window or a file
    late_post,      ///< in an access epoch before a target had opened its exposure epoch
    early_wait,     ///< at the end of an exposure epoch, before the end of the origin's last operation
    late_complete,  ///< at the end of an exposure epoch, from the origin's last operation to the end of its access
                    ///< epoch
    lock,           ///< in an epoch with a lock, before another rank released it
};
constexpr Wait last_of(Wait /*any*/) { return Wait::lock; }
inline constexpr std::size_t kWaits = static_cast<std::size_t>(Wait::lock) + 1;

/// Function number of the place that represents the time before a stream's first call.
inline constexpr std::uint32_t kBeforeCalls = std::numeric_limits<std::uint32_t>::max();

/// A place in the program: a function and its call site.
struct Place {
    std::uint32_t function;
    std::uint32_t site;  ///< index into TraceJob::call_sites plus 1; 0: unknown

    auto operator<=>(const Place&) const = default;
};

/// Time that ranks waited in one call because of one rank's activity elsewhere.
struct Cause {
    Wait wait;
    Place waiting;              ///< the call that waited
    std::int64_t causing_rank;  ///< rank on which the delay arose (Scalasca's root cause)
    bool computing;             ///< the delay lies between `before` and `after` of that rank; else within `after`
    Place before;
    Place after;
    std::uint64_t ns;     ///< sum over the waiting ranks
    std::uint64_t calls;  ///< number of waiting calls
    /// part that was caused by that rank itself; the rest came through others that it delayed
    std::uint64_t direct_ns;
    std::int64_t most_waiting_rank;
};

struct RankWaits {
    std::int64_t rank;
    std::uint64_t wall_ns;
    /// Time in MPI without MPI_Init and MPI_Finalize, as in a profile, but with the time between the polls of a spin.
    /// Transfer is mpi_ns minus the waits.
    std::uint64_t mpi_ns;
    std::array<std::uint64_t, kWaits> wait_ns;
    std::uint64_t caused_ns;    ///< waiting of other ranks that arose on this rank
    std::uint64_t critical_ns;  ///< time that the critical path spends on this rank
};

/// Time that one rank waited for another rank, directly.
struct WaitingPair {
    std::int64_t waiting;
    std::int64_t awaited;
    std::uint64_t ns;
    std::uint64_t calls;
};

/// A segment of the critical path in one place of one rank, summed.
struct CriticalPlace {
    std::int64_t rank;
    bool computing;  ///< true: between `place` and the next call; false: within it
    Place place;
    std::uint64_t ns;
};

/// Waiting of all ranks in bins of equal width, of which the last may be shorter.
struct WaitsOverTime {
    std::uint64_t begin_ns = 0;
    std::uint64_t bin_ns = 1;
    std::vector<std::array<std::uint64_t, kWaits>> ns;  ///< indexed by bin and kind
};
inline constexpr std::uint64_t kMostWaitBins = 480;

/// Iterations that were found in the program's call sequence.
struct Iterations {
    std::int64_t rank = -1;               ///< rank on which they were found
    std::uint64_t events = 0;             ///< calls of one iteration; 0: none found
    Place first = {};                     ///< first call of an iteration
    std::vector<std::uint64_t> begin_ns;  ///< start of each iteration, and end of the last one
};

struct WaitAnalysis {
    std::vector<RankWaits> ranks;
    std::vector<Cause> causes;       ///< largest first
    std::vector<WaitingPair> pairs;  ///< ordered by ranks
    WaitsOverTime over_time;
    std::vector<CriticalPlace> critical_path;  ///< largest first
    std::uint64_t critical_path_ns = 0;
    std::uint64_t unmatched_sends = 0;
    std::uint64_t unmatched_receives = 0;
    std::vector<std::string> remarks;  ///< one sentence for each omission or assumption
};

/// A half-open interval of the trace's time.
struct TimeWindow {
    std::uint64_t begin_ns = 0;
    std::uint64_t end_ns = std::numeric_limits<std::uint64_t>::max();

    [[nodiscard]] bool contains(std::uint64_t ns) const { return begin_ns <= ns && ns < end_ns; }
};

/// Analyses the waits of a trace, which is read once. Memory is bounded by the messages in flight and by the places of
/// the program.
/// \param counted  calls that start in this window count, with the computation before them; causes may lie earlier
/// \param progress  in calls; null: progress is not reported
[[nodiscard]] WaitAnalysis analyse_waits(const trace::TraceFile& trace, const TimeWindow& counted = {},
                                         Progress* progress = nullptr);

/// Clocks of the hosts relative to the first host's, estimated from the messages between them.
[[nodiscard]] std::vector<trace::HostClock> estimate_clocks(const trace::TraceFile& trace);

/// Iterations of the program's main loop.
[[nodiscard]] Iterations find_iterations(const trace::TraceFile& trace);

}  // namespace waywiser::explain
