/// The ranks that share memory with a rank, according to its MPI library.
#pragma once

namespace waywiser::profile {

/// The lowest rank of MPI_COMM_WORLD that the library puts into one group with this rank by MPI_COMM_TYPE_SHARED.
/// Launchers may describe one host as several nodes, or several hosts as one; then the result differs from the names of
/// hosts. Collective.
/// \return -1 if the library cannot report it
[[nodiscard]] int lowest_sharing_memory();

}  // namespace waywiser::profile
