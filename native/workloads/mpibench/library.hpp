/// The MPI library's description of itself.
#pragma once

#include <string>

namespace waywiser::mpibench {

/// First line of MPI_Get_library_version.
[[nodiscard]] std::string library_version();

/// The transport as far as the library reports it, and the settings that select it; empty if neither is known.
[[nodiscard]] std::string transport();

}  // namespace waywiser::mpibench
