/// With whom a rank shares memory, as its MPI library sees it.
#pragma once

namespace waywiser::profile {

/// The lowest rank of MPI_COMM_WORLD that the library puts into one group with this one by
/// MPI_COMM_TYPE_SHARED. Launchers have been found to describe the ranks of one host as several nodes, and
/// the other way round: then this is not what the names of hosts say. Collective.
/// \return -1 where the library cannot be asked
[[nodiscard]] int lowest_sharing_memory();

}  // namespace waywiser::profile
