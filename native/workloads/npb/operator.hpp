/// The operator in space, by second-order differences and fourth-order dissipation.
#pragma once

#include "workloads/npb/field.hpp"

namespace waywiser::npb {

/// Adds to `result`, at the rank's inner points, what convection, diffusion and dissipation make of u there.
/// \param u  with its halo
void add_operator(const Cartesian& cartesian, const Field& u, Field& result);

}  // namespace waywiser::npb
