/// File formats for traces, and the data that each format keeps.
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <string_view>

#include "base/progress.hpp"
#include "trace/reading/trace_reader.hpp"

namespace waywiser::exchange {

/// The selected part of the trace: calls that start before its end and do not end before its start.
struct Window {
    std::uint64_t begin_ns = 0;
    std::uint64_t end_ns = std::numeric_limits<std::uint64_t>::max();

    [[nodiscard]] bool whole() const { return *this == Window{}; }
    [[nodiscard]] bool holds(const trace::TracedCall& call) const {
        return call.end_ns >= begin_ns && call.begin_ns < end_ns;
    }
    [[nodiscard]] bool operator==(const Window&) const = default;
};

/// The number of calls in a trace, the total of the progress of an export. A run of polls counts as one.
[[nodiscard]] std::uint64_t calls_in(const trace::TraceJob& job);

struct Format {
    std::string_view name;  ///< name on the command line
    /// Writes the trace. Memory is bounded as described in mpi/matching.hpp.
    /// \param progress  in calls
    /// \throws Error  if `path` cannot be written
    void (*write)(const trace::TraceFile& trace, const std::string& path, const Window& window, Progress& progress);
    bool takes_window;       ///< false: readers of the format cannot use a part of a trace
    std::string_view file;   ///< description of the file at `path`
    std::string_view keeps;  ///< description of the data that are kept of each call
    std::string_view loses;
};

[[nodiscard]] std::span<const Format> formats();

/// \throws InvalidInput  if there is no such format, or if it takes no window and one is given
void write(const trace::TraceFile& trace, std::string_view format, const std::string& path, const Window& window,
           Progress& progress);

// Each function is in the file of its format; formats.cpp lists them.
using WriteFormat = void(const trace::TraceFile& trace, const std::string& path, const Window& window,
                         Progress& progress);
WriteFormat write_csv, write_goal, write_paraver, write_perfetto, write_simgrid;

}  // namespace waywiser::exchange
