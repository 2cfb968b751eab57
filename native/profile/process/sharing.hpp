/// The ranks that share memory with a rank, according to its MPI library.
#pragma once

namespace waywiser::profile {

/// The lowest rank of MPI_COMM_WORLD that the library puts into one group with this rank by MPI_COMM_TYPE_SHARED.
/// Launchers may describe the ranks of one host as several nodes, and vice versa; then the result differs from the
/// names of hosts. Collective.
/// \return -1 where the library cannot be asked
[[nodiscard]] int lowest_sharing_memory();

}  // namespace waywiser::profile
