/// Writes a trace as OTF2, for Vampir, Scalasca and other readers.
#pragma once

#include <string>

#include "base/progress.hpp"
#include "trace/reading/trace_reader.hpp"

namespace waywiser::exchange {

/// Writes DIRECTORY/traces.otf2 with its definitions and events. Data without a record in OTF2 is stored in attributes
/// and properties (docs/reference/otf2.md), so that `import_otf2` restores the same trace.
///
/// \param directory  is created; must not exist
/// \param library  path of the OTF2 library
/// \param progress  in calls
/// \throws InvalidInput  if there is no such library
/// \throws Error  if writing fails
void export_otf2(const trace::TraceFile& file, const std::string& directory, const std::string& library,
                 Progress& progress);

}  // namespace waywiser::exchange
