/// The exact solutions of the discrete equations where a flow is laminar.
#pragma once

#include "workloads/tbl/flow.hpp"
#include "workloads/tbl/settings.hpp"

#include <optional>

namespace waywiser::tbl {

/// True if the run has such a solution: no disturbance, uniform rows and a drive with a closed form.
[[nodiscard]] bool has_truth(const Settings& settings);

/// The greatest difference of a velocity from it after all steps. Collective.
[[nodiscard]] double greatest_error(const Settings& settings, const Flow& flow);

/// The greatest difference of the velocity along a laminar layer from Blasius's, further than two heights from the
/// outflow, whose pressure reaches upstream. Empty if there is no such cell. Collective.
[[nodiscard]] std::optional<double> laminar_error(const Settings& settings, const Flow& flow);

}  // namespace waywiser::tbl
