/// Initial velocities of the cases.
#pragma once

#include "workloads/tbl/flow.hpp"
#include "workloads/tbl/settings.hpp"

namespace waywiser::tbl {

/// Initial velocity along axis 1 of a flow that depends only on the distance y from the lower wall.
[[nodiscard]] double laminar_start(const Settings& settings, double y);

/// Sets the initial velocities, halos excluded. The velocities may have a divergence, which the caller must remove.
void start(const Settings& settings, Flow& flow);

/// The force of drive "gradient", which maintains a parabolic profile of greatest velocity 1 between walls 2 apart.
[[nodiscard]] double gradient_force(const Settings& settings);

}  // namespace waywiser::tbl
