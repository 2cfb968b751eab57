/// Reads a trace that Score-P, TAU, EZTrace, Extrae or Waywiser wrote as OTF2.
#pragma once

#include <cstdint>
#include <string>

namespace waywiser::exchange {

/// Summary of an import; the trace's own `lost` lists missing data.
struct Imported {
    std::int64_t ranks = 0;
    std::uint64_t calls = 0;
    std::uint64_t begin_unix_ns = 0;  ///< 0: unknown
    std::uint64_t end_ns = 0;         ///< since the start of the trace
    std::string creator;              ///< program that wrote it, according to the anchor file
};

/// Converts the OTF2 trace with this anchor file to `trace`, a trace of Waywiser. Regions outside MPI are omitted. A
/// trace that `export_otf2` wrote is restored to its original.
///
/// \param library  path of the OTF2 library
/// \throws InvalidInput  if there is no such library, or `anchor` is not an anchor file, or its definitions are damaged
/// \throws Error  if `trace` cannot be written
Imported import_otf2(const std::string& anchor, const std::string& trace, const std::string& library);

}  // namespace waywiser::exchange
