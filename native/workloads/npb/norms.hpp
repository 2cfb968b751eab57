/// Norms by which a field is verified.
#pragma once

#include "workloads/npb/classes.hpp"
#include "workloads/npb/problem.hpp"

namespace waywiser::npb {

/// The root mean square of rhs over inner points. Collective.
[[nodiscard]] Vector5 residual_norm(const Problem& problem);

/// Root mean squares over inner points of the residual and of the difference from the exact solution. With
/// `with_surface`, the result includes the integral of the pressure over six faces of a box. Evaluates rhs. Collective.
[[nodiscard]] Norms norms_of(Problem& problem, bool with_surface);

}  // namespace waywiser::npb
