/// The facts of run.json's `machine`, collected on the node that merges a run.
#pragma once

#include "base/json_lines.hpp"

namespace waywiser::standalone {

[[nodiscard]] JsonObject machine();

}  // namespace waywiser::standalone
