/// What the MPI library says of itself.
#pragma once

#include <string>

namespace waywiser::mpibench {

/// First line of MPI_Get_library_version.
[[nodiscard]] std::string library_version();

/// The transport as the library names it; empty where it does not.
[[nodiscard]] std::string transport();

}  // namespace waywiser::mpibench
