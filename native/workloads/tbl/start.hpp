/// The velocities that a case begins with.
#pragma once

#include "workloads/tbl/flow.hpp"
#include "workloads/tbl/settings.hpp"

namespace waywiser::tbl {

/// Start of a flow along the walls that depends only on the distance y from the lower wall.
[[nodiscard]] double laminar_start(const Settings& settings, double y);

/// Sets the velocities, halos excluded. They may have a divergence, which the program takes out.
void start(const Settings& settings, Flow& flow);

/// The force of the drive "gradient": that of a parabola with a greatest velocity of 1 between walls 2 apart.
[[nodiscard]] double gradient_force(const Settings& settings);

}  // namespace waywiser::tbl
