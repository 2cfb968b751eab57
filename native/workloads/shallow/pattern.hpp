/// What ranks send each other in a step, without running them.
#pragma once

#include "workloads/shallow/settings.hpp"
#include "workloads/shallow/share.hpp"

namespace waywiser::shallow {

/// Writes the bytes from each rank (row) to each other one (column) to `--matrix FILE`, and the messages to another
/// one, which has ".messages.mtx" behind its name.
/// \throws InvalidInput  if one of them cannot be written
void write_pattern(const Settings& settings, const Topology& topology, const Partition& partition);

}  // namespace waywiser::shallow
