/// Makes one trace of what the processes of a job have recorded (recording.hpp).
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "trace/records/profile.hpp"

namespace waywiser::trace {

/// Summary of a trace.
struct TraceSummary {
    std::uint64_t streams = 0;
    std::uint64_t calls = 0;          ///< each poll counts
    std::uint64_t dropped_calls = 0;  ///< made, but lost or outside the window
    std::uint64_t lost_calls = 0;     ///< of these: requested, but beyond the limit or not written
    bool recorded = false;            ///< false: no rank recorded a trace, and no file is written
    std::vector<std::string> lost;    ///< one sentence for each thing that is damaged, or missing without a reason
};

/// Gives a name to each place in the program: "solve at cg.c:131", or "" where it knows none.
using NamePlaces = std::function<std::vector<std::string>(const std::vector<CallSite>&)>;

/// Merges what is in the states of a job's processes, as merge_states takes them, and in the files that
/// full buffers went to. Takes memory for one file of states and one buffer, however long the
/// trace. Never fails for a file that is bad or missing: the trace
/// and `lost` say it instead.
/// \param path  of the trace; its directory is made
/// \throws Error  if the file system does not take the trace
TraceSummary merge_recordings(const std::vector<std::string>& states, const std::vector<std::string>& calls,
                              const std::string& path, const NamePlaces& name_places);

}  // namespace waywiser::trace
