/// Merges the recordings of a job's processes (recording.hpp) into one trace.
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
    std::uint64_t dropped_calls = 0;  ///< calls that were lost or are outside the window
    std::uint64_t lost_calls = 0;     ///< dropped calls that were requested, but exceeded the limit or were not written
    bool recorded = false;            ///< false: no rank recorded a trace, and no file is written
    std::vector<std::string> lost;    ///< one sentence for each damage, and for each loss without a known reason
};

/// Returns the name of each call site, such as "solve at cg.c:131", or "" if it is unknown.
using NamePlaces = std::function<std::vector<std::string>(const std::vector<CallSite>&)>;

/// Merges the recordings in the states of a job's processes (as for merge_states) and in their calls files. Memory is
/// bounded by one file of states and one buffer, however long the trace. A damaged or missing file causes no failure:
/// the trace and `lost` report it.
/// \param path  file of the trace; its directory is created
/// \throws Error  if the trace cannot be written
TraceSummary merge_recordings(const std::vector<std::string>& states, const std::vector<std::string>& calls,
                              const std::string& path, const NamePlaces& name_places);

}  // namespace waywiser::trace
