/// The operator in space, by second-order differences and fourth-order dissipation.
#pragma once

#include "workloads/npb/field.hpp"

namespace waywiser::npb {

/// Adds to `result`, in a region of the rank's inner points, what convection, diffusion and dissipation make of u
/// there.
/// \param u  with two points around the region
void add_operator(const Cartesian& cartesian, const Region& region, const Field& u, Field& result);

/// rhs = factor (forcing + the operator on u) in a region of the rank's inner points.
using Evaluate = void(const Cartesian& cartesian, const Region& region, const Field& u, const Field& forcing,
                      double factor, Field& rhs);

Evaluate evaluate_by_points;
/// Evaluates by the kernels of kernels.hpp.
Evaluate evaluate_by_registers;

}  // namespace waywiser::npb
