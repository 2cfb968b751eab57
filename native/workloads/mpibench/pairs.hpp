/// Which rank talks to which.
#pragma once

#include "workloads/mpibench/benchmarks.hpp"

#include <string>
#include <utility>
#include <vector>

namespace waywiser::mpibench {

/// First and second rank of each pair, the first being the one that starts.
using Pairs = std::vector<std::pair<int, int>>;

/// Collective: hosts that the ranks are on.
[[nodiscard]] int count_hosts(MPI_Comm ranks);

/// Collective.
/// \param choice  as --pairs takes it
/// \throws InvalidInput  if it names no pair of these ranks, on all of them
[[nodiscard]] Pairs find_pairs(const std::string& choice, MPI_Comm ranks);

/// Collective: gives the rank its partner in this benchmark, if it has pairs.
/// \throws InvalidInput  as find_pairs
void choose_pair(const Benchmark& benchmark, const std::string& choice, Call& call);

}  // namespace waywiser::mpibench
