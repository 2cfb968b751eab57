/// The file of the process's traced calls, `parts/HOST-PID.calls` of the run.
#pragma once

#include "trace/records/recording.hpp"

namespace waywiser::profile {

/// \param limit_bytes  what the file may hold
/// \return false if its name is too long
[[nodiscard]] bool name_calls_file(const char* run, const state::Header& process, std::uint64_t limit_bytes);

/// The reason why calls are no longer written, as in TraceStreamRecord::lost_reason.
[[nodiscard]] std::uint64_t why_calls_end();

/// \return false if it may not or cannot be written; neither will be what comes later
[[nodiscard]] bool append_calls(const state::TraceStreamRecord& stream);

}  // namespace waywiser::profile
