/// What ranks send each other in an iteration, without running them.
#pragma once

#include "workloads/lattice/layout.hpp"

namespace waywiser::lattice {

inline constexpr Index hops_an_iteration = 4;

/// Writes the bytes from each rank (row) to each other one (column) to a file, and the messages to another one, which
/// has ".messages.mtx" behind its name.
/// \throws InvalidInput  if one of them cannot be written
void write_pattern(const std::string& file, const Index4& extents, const Index4& ranks);

}  // namespace waywiser::lattice
