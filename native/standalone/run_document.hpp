/// run.json of a run that was started by `ww-exec --run`, in the form of `run` in docs/reference/documents.schema.json.
#pragma once

#include <string>

#include "standalone/run_directory.hpp"
#include "trace/records/profile.hpp"

namespace waywiser::standalone {

/// The document of a run without a launcher's command. It has the first rank's command line, this node, and the times
/// of the ranks' first and last data.
[[nodiscard]] std::string run_document(const RunDirectory& directory, const trace::Profile& profile,
                                       const trace::TraceSummary& trace);

}  // namespace waywiser::standalone
