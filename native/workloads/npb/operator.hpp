/// The operator in space, by second-order differences and fourth-order dissipation.
#pragma once

#include "workloads/npb/field.hpp"

namespace waywiser::npb {

/// Adds convection, diffusion and dissipation of u to `result`, in a region of the rank's inner points.
/// \param u  field that is set in the region and on two points around it
void add_operator(const Cartesian& cartesian, const Region& region, const Field& u, Field& result);

/// rhs = factor (forcing + the operator on u) in a region of the rank's inner points.
using Evaluate = void(const Cartesian& cartesian, const Region& region, const Field& u, const Field& forcing,
                      double factor, Field& rhs);

Evaluate evaluate_by_points;
/// Evaluates with the kernels of kernels.hpp.
Evaluate evaluate_by_registers;

}  // namespace waywiser::npb
