/// Communication of a step, determined without running the ranks.
#pragma once

#include "workloads/shallow/settings.hpp"
#include "workloads/shallow/share.hpp"

namespace waywiser::shallow {

/// Writes the bytes from each rank (row) to each other rank (column) to `--matrix FILE`, and the messages to a second
/// file, whose name ends in ".messages.mtx".
/// \throws InvalidInput  if one of the files cannot be written
void write_pattern(const Settings& settings, const Topology& topology, const Partition& partition);

}  // namespace waywiser::shallow
