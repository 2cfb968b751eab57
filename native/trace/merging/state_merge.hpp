/// Makes one profile of the states of a job's processes.
#pragma once

#include <string>
#include <vector>

#include "trace/records/profile.hpp"

namespace waywiser::trace {

/// Joins the states of a job's processes; of several of one process, the latest counts. Never fails
/// for one that is bad or missing: `lost` says it instead. A file that has gone is passed over: what
/// a live state held is then in one that comes after it in `paths`.
/// \param job_has_ended  that is, a rank that has not finalised was killed
[[nodiscard]] Profile merge_states(const std::vector<std::string>& paths, bool job_has_ended);

}  // namespace waywiser::trace
