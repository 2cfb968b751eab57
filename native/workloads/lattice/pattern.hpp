/// Communication of an iteration, determined without running the ranks.
#pragma once

#include "workloads/lattice/layout.hpp"

namespace waywiser::lattice {

inline constexpr Index hops_an_iteration = 4;

/// Writes the bytes from each rank (row) to each other rank (column) to a file, and the messages to a second file,
/// whose name ends in ".messages.mtx".
/// \throws InvalidInput  if one of the files cannot be written
void write_pattern(const std::string& file, const Index4& extents, const Index4& ranks);

}  // namespace waywiser::lattice
