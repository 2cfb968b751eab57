/// Pairs of ranks that communicate.
#pragma once

#include "workloads/mpibench/benchmarks.hpp"

#include <string>
#include <vector>

namespace waywiser::mpibench {

/// Collective. By rank: the lowest rank on the same host, which its name identifies. No communicator is made: Open
/// MPI's first one leaves the progress of nonblocking collectives among what every wait polls, which OSU's programs do
/// not have.
[[nodiscard]] std::vector<int> hosts_of(MPI_Comm ranks);

/// \param hosts  as hosts_of gives them
[[nodiscard]] int count_hosts(const std::vector<int>& hosts);

/// Gives the rank its partner in this benchmark, if it has pairs, and says where ranks are that talk to each other.
/// \param choice  as --pairs takes it
/// \param hosts  as hosts_of gives them
/// \throws InvalidInput  if `choice` names no pair of these ranks, on all of them
void choose_pair(const Benchmark& benchmark, const std::string& choice, const std::vector<int>& hosts, Call& call);

}  // namespace waywiser::mpibench
