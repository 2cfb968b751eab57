/// Neighbours of a rank in its communicator's topology.
#pragma once

#include "profile/preload/library.hpp"

namespace waywiser::profile {

/// Numbers of neighbours, in the order of the buffers of neighbourhood collectives (MPI-4.1, section 8.6). A neighbour
/// beyond the edge of a grid that is not periodic is MPI_PROC_NULL.
struct Neighbours {
    int in = 0;
    int out = 0;
    std::uint64_t beyond = 0;  ///< bit i: neighbour i, of either direction, is MPI_PROC_NULL

    [[nodiscard]] bool there(int i) const { return i >= 64 || (beyond >> static_cast<unsigned>(i) & 1U) == 0; }
    [[nodiscard]] long count(int degree) const { return degree - __builtin_popcountll(beyond); }
};

[[nodiscard]] Neighbours neighbours(Handle comm);

/// Ranks of the neighbours to which the caller sends; MPI_PROC_NULL for absent neighbours.
/// \param room  number of `ranks` that fit; if it is too small, none is written
/// \return the number of neighbours
int out_neighbours(Handle comm, int room, int* ranks);

/// Ranks of the neighbours from which the caller receives, followed by those to which it sends; MPI_PROC_NULL for
/// absent neighbours.
/// \param around  neighbours(comm)
/// \param ranks   room for all of them
bool all_neighbours(Handle comm, const Neighbours& around, int* ranks);

}  // namespace waywiser::profile
