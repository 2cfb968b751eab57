/// A trace as a page can show it: time by kind in cells of ranks and time, and the longest calls singly.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "trace/reading/trace_reader.hpp"

namespace waywiser::explain {

/// A rank's activity, by the colours of the timeline.
enum class Kind : std::uint8_t {
    computing,  ///< outside MPI
    point_to_point,
    completion,  ///< waiting for requests, or testing them
    collective,
    one_sided,
    file,
    other,  ///< MPI_Init, communicators, datatypes, …
};
inline constexpr std::size_t kKinds = 7;

/// Time by kind in rows of one or more streams and bins of equal width; the last ones may be shorter.
struct TimelineGrid {
    std::uint32_t together;  ///< streams in a row; a power of two
    std::uint32_t rows;
    std::uint64_t bin_ns;
    std::uint32_t bins;
    std::vector<std::uint64_t> ns;  ///< [row][bin][kind]
};

/// A call, or a run of polls that found nothing.
struct TimelineCall {
    std::uint32_t stream;  ///< index into TraceJob::streams
    Kind kind;
    std::uint32_t function;  ///< index into TraceJob::functions
    std::uint32_t site;      ///< index into TraceJob::call_sites plus 1; 0: not known
    std::uint32_t object;    ///< index into TraceJob::objects plus 1; 0: none
    std::int64_t peer;       ///< world rank of destination, target, root or source; trace::kNone, …
    std::int64_t source;     ///< of MPI_Sendrecv and its variants: the source
    std::int64_t tag;
    std::uint64_t bytes;   ///< sent
    std::uint64_t posted;  ///< made ready to receive
    std::uint64_t requests;
    std::uint64_t begin_ns;
    std::uint64_t end_ns;
    std::uint64_t times;
    std::uint64_t idle_ns;  ///< between polls
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
    std::vector<TimelineCall> calls;      ///< by stream and begin
    std::vector<TimelineArrow> arrows;    ///< by the time they were sent
    std::uint64_t all_calls = 0;          ///< in the window
    std::uint64_t longest_merged_ns = 0;  ///< of the calls that are in cells only
    std::uint64_t left_out_arrows = 0;    ///< of calls shown singly: no room, or the other end unknown
};

struct TimelineLimits {
    std::uint64_t begin_ns = 0;
    std::uint64_t end_ns = ~std::uint64_t{0};
    std::size_t calls = 50'000;
    std::size_t arrows = 50'000;
    std::size_t cells = 48'000;
};

/// The part of a trace from `begin_ns` to `end_ns`, whose `calls` longest calls are shown singly. A stream
/// computes where it is in no call, from its first one to the end of its last.
///
/// Reads the trace twice. Memory is bounded by the limits and the channels of the program.
[[nodiscard]] Timeline timeline(const trace::TraceFile& trace, const TimelineLimits& limits = {});

}  // namespace waywiser::explain
