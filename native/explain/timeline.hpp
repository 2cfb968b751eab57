/// A trace as a page can show it: time by kind in cells of ranks and time, and the longest calls individually.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "trace/reading/trace_reader.hpp"

namespace waywiser::explain {

/// A rank's activity, by the colours of the timeline.
enum class Kind : std::uint8_t {
    computing,  ///< time outside MPI
    point_to_point,
    completion,  ///< waiting for requests, or testing them
    collective,
    one_sided,
    file,
    other,  ///< MPI_Init, communicators, datatypes, …
};
inline constexpr std::size_t kKinds = 7;

/// Time by kind in rows of one or more streams and in bins of equal width; the last row and bin may be smaller.
struct TimelineGrid {
    std::uint32_t together;  ///< streams per row; a power of two
    std::uint32_t rows;
    std::uint64_t bin_ns;
    std::uint32_t bins;
    std::vector<std::uint64_t> ns;  ///< [row][bin][kind]
};

/// A call, or a run of unsuccessful polls.
struct TimelineCall {
    std::uint32_t stream;  ///< index into TraceJob::streams
    Kind kind;
    std::uint32_t function;  ///< index into TraceJob::functions
    std::uint32_t site;      ///< index into TraceJob::call_sites plus 1; 0: unknown
    std::uint32_t object;    ///< index into TraceJob::objects plus 1; 0: none
    /// world rank of destination, target, root or source; trace::kNone and other special values are possible
    std::int64_t peer;
    std::int64_t source;  ///< source of MPI_Sendrecv and its variants
    std::int64_t tag;
    std::uint64_t bytes;   ///< payload that was sent
    std::uint64_t posted;  ///< payload that receives were posted for
    std::uint64_t requests;
    std::uint64_t begin_ns;
    std::uint64_t end_ns;
    std::uint64_t times;
    std::uint64_t idle_ns;  ///< time between polls
};

/// A message, from the start of the call that sent it to the end of the call that completed its receive.
struct TimelineArrow {
    std::uint32_t from;  ///< index into TraceJob::streams
    std::uint32_t to;
    std::uint64_t sent_ns;
    std::uint64_t received_ns;
    std::uint64_t bytes;
};

struct Timeline {
    std::uint64_t begin_ns;               ///< start of the window
    std::uint64_t end_ns;                 ///< end of the window
    std::vector<TimelineGrid> grids;      ///< the grid with the fewest streams per row first
    std::vector<TimelineCall> calls;      ///< in order of stream and start
    std::vector<TimelineArrow> arrows;    ///< in order of the time at which they were sent
    std::uint64_t all_calls = 0;          ///< number of calls in the window
    std::uint64_t longest_merged_ns = 0;  ///< duration of the longest call that is only in cells
    /// messages of individually shown calls that were omitted: no room, or the other end is unknown
    std::uint64_t left_out_arrows = 0;
};

struct TimelineLimits {
    std::uint64_t begin_ns = 0;
    std::uint64_t end_ns = ~std::uint64_t{0};
    std::size_t calls = 50'000;
    std::size_t arrows = 50'000;
    std::size_t cells = 48'000;
};

/// The part of a trace from `begin_ns` to `end_ns`, whose `calls` longest calls are shown individually. A stream
/// computes whenever it is in no call, between its first call and the end of its last.
///
/// Reads the trace twice. Memory is bounded by the limits and the channels of the program.
[[nodiscard]] Timeline timeline(const trace::TraceFile& trace, const TimelineLimits& limits = {});

}  // namespace waywiser::explain
