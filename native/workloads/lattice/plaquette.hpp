/// The plaquette: the trace of the product of links around a unit square, which no gauge transform changes.
#pragma once

#include "workloads/lattice/fields.hpp"

#include <mpi.h>

namespace waywiser::lattice {

/// Mean of Re tr / 3 over the squares of all sites in all six planes. Collective.
[[nodiscard]] double mean_plaquette(const Sites& sites, const Links& links, MPI_Comm communicator);

}  // namespace waywiser::lattice
