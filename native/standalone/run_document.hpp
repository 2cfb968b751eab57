/// run.json of a run that was started by `ww-exec --run`, as `run` of docs/reference/documents.schema.json has it.
#pragma once

#include <string>

#include "standalone/run_directory.hpp"
#include "trace/records/profile.hpp"

namespace waywiser::standalone {

/// The document of a run without a launcher's command. It has the program as the first rank was given it, this node,
/// and the times at which the ranks wrote first and last.
[[nodiscard]] std::string run_document(const RunDirectory& directory, const trace::Profile& profile,
                                       const trace::TraceSummary& trace);

}  // namespace waywiser::standalone
