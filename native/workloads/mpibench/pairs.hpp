/// Pairs of ranks that communicate.
#pragma once

#include "workloads/mpibench/benchmarks.hpp"

#include <string>
#include <vector>

namespace waywiser::mpibench {

/// By rank: the lowest rank on the same host, identified by name. Collective. No communicator is made: with Open MPI,
/// the first one would make every wait poll for nonblocking collectives, unlike in OSU's programs.
[[nodiscard]] std::vector<int> hosts_of(MPI_Comm ranks);

/// \param hosts  result of hosts_of
[[nodiscard]] int count_hosts(const std::vector<int>& hosts);

/// Sets the rank's partner in this benchmark, if it has pairs, and whether communicating ranks share hosts.
/// \param choice  as --pairs takes it
/// \param hosts  as hosts_of gives them
/// \throws InvalidInput  if `choice` names no pair of these ranks, on all of them
void choose_pair(const Benchmark& benchmark, const std::string& choice, const std::vector<int>& hosts, Call& call);

}  // namespace waywiser::mpibench
