/// Checks that nodes have enough memory for a program.
#pragma once

#include "workloads/common/program.hpp"

#include <string>

namespace waywiser {

/// Collective.
/// \param bytes    that this rank will take
/// \param what     needs them, in the plural: "64 x 64 x 64 cells"
/// \param instead  of it a user may take: "fewer cells"
/// \throws InvalidInput  on all ranks, if the ranks of some node need more than it has
void require_memory(double bytes, const std::string& what, const std::string& instead, const Ranks& ranks);

}  // namespace waywiser
