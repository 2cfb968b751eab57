/// The file of the process's traced calls, `parts/HOST-PID.calls` of the run.
#pragma once

#include "trace/records/recording.hpp"

namespace waywiser::profile {

/// Sets the file's name.
/// \param limit_bytes  largest size of the file
/// \return false if its name is too long
[[nodiscard]] bool name_calls_file(const char* run, const state::Header& process, std::uint64_t limit_bytes);

/// The reason why calls are no longer written, as TraceStreamRecord::lost_reason.
[[nodiscard]] std::uint64_t why_calls_end();

/// Appends a buffer to the file.
/// \return false if the limit is reached or writing fails; later buffers are not written either
[[nodiscard]] bool append_calls(const state::TraceStreamRecord& stream);

}  // namespace waywiser::profile
