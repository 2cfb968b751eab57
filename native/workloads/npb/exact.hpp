/// The flow that the forcing makes steady, and the initial field of the iterations.
#pragma once

#include "workloads/npb/field.hpp"
#include "workloads/npb/physics.hpp"

namespace waywiser::npb {

/// The exact solution at a place in the unit cube.
[[nodiscard]] Vector5 exact_solution(const std::array<double, 3>& place);

/// Fills every point of the rank's box and its halo that lies in the cube with the exact solution.
void fill_exact(const Cartesian& cartesian, Field& field);

/// Fills the rank's points with the exact solution on the faces of the cube, and with the NAS report's interpolation
/// between faces. Halos are unchanged.
void fill_initial(const Cartesian& cartesian, Field& field);

}  // namespace waywiser::npb
