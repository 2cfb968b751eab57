/// Reads a trace that Score-P, TAU, EZTrace, Extrae or Waywiser wrote as OTF2.
#pragma once

#include <cstdint>
#include <string>

namespace waywiser::exchange {

/// Summary of an import; the trace's own `lost` lists missing data.
struct Imported {
    std::int64_t ranks = 0;
    std::uint64_t calls = 0;
    std::uint64_t begin_unix_ns = 0;  ///< 0: not said
    std::uint64_t end_ns = 0;         ///< since the trace's begin
    std::string creator;              ///< the program that wrote it, as the anchor file says
};

/// Writes `trace`, a trace of Waywiser's, from the OTF2 trace whose anchor file this is. Regions that are
/// not MPI's are left out. One that `export_otf2` wrote becomes what it was written from.
///
/// \param library  path of the OTF2 library
/// \throws InvalidInput  if there is no such library, or `anchor` is not an anchor file, or its definitions are damaged
/// \throws Error  if the file system does not take `trace`
Imported import_otf2(const std::string& anchor, const std::string& trace, const std::string& library);

}  // namespace waywiser::exchange
