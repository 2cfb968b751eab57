/// Exact solutions of the discrete equations for laminar flows.
#pragma once

#include "workloads/tbl/flow.hpp"
#include "workloads/tbl/settings.hpp"

#include <optional>

namespace waywiser::tbl {

/// True if the run has an exact solution: no disturbance, uniform rows and a drive with a closed form.
[[nodiscard]] bool has_truth(const Settings& settings);

/// The greatest difference of a velocity from the exact solution after all steps. Collective.
[[nodiscard]] double greatest_error(const Settings& settings, const Flow& flow);

/// The greatest difference of u from the Blasius solution. Cells within two heights of the outflow, whose pressure acts
/// upstream, do not count; the result is empty if no cell is left. Collective.
[[nodiscard]] std::optional<double> laminar_error(const Settings& settings, const Flow& flow);

}  // namespace waywiser::tbl
