/// What the node is that a run is merged on: the facts of run.json's `machine`.
#pragma once

#include "base/json_lines.hpp"

namespace waywiser::standalone {

[[nodiscard]] JsonObject machine();

}  // namespace waywiser::standalone
