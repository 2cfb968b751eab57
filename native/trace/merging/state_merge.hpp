/// Merges the states of a job's processes into one profile.
#pragma once

#include <string>
#include <vector>

#include "trace/records/profile.hpp"

namespace waywiser::trace {

/// Merges the states of a job's processes. If a process has several, the latest counts. A damaged or missing state
/// causes no failure: `lost` reports it. A file that has disappeared is skipped, because a removed live state was saved
/// in a file that follows it in `paths`.
/// \param job_has_ended  true if a rank that has not finalised was killed
[[nodiscard]] Profile merge_states(const std::vector<std::string>& paths, bool job_has_ended);

}  // namespace waywiser::trace
