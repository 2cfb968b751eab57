/// Checks that nodes have enough memory for a program.
#pragma once

#include "workloads/common/program.hpp"

#include <string>

namespace waywiser {

/// Checks the memory of all nodes. Collective.
/// \param bytes    memory that this rank will use
/// \param problem  consumer in the plural, such as "64 x 64 x 64 cells"
/// \param instead  alternative for the user, such as "fewer cells"
/// \throws InvalidInput  on all ranks, if the ranks of some node need more memory than the node has
void require_memory(double bytes, const std::string& problem, const std::string& instead, const Ranks& ranks);

}  // namespace waywiser
