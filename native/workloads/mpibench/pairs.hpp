/// Pairs of ranks that communicate.
#pragma once

#include "workloads/mpibench/benchmarks.hpp"

#include <string>
#include <vector>

namespace waywiser::mpibench {

/// Returns for each rank the lowest rank on the same host; hosts are identified by name. Collective. The function makes
/// no communicator: with Open MPI, the first communicator makes every wait poll for nonblocking collectives, unlike in
/// OSU's programs.
[[nodiscard]] std::vector<int> hosts_of(MPI_Comm ranks);

/// \param hosts  result of hosts_of
[[nodiscard]] int count_hosts(const std::vector<int>& hosts);

/// Checks `--pairs` before any benchmark runs.
/// \throws InvalidInput  on all ranks, if the benchmark has pairs and `choice` names no pair of these ranks
void require_pairs(const Benchmark& benchmark, const std::string& choice, const std::vector<int>& hosts);

/// Sets the rank's partner if the benchmark has pairs, and whether communicating ranks share hosts.
/// \param choice  value of --pairs
/// \param hosts   result of hosts_of
/// \throws InvalidInput  on all ranks, if `choice` names no pair of these ranks
void choose_pair(const Benchmark& benchmark, const std::string& choice, const std::vector<int>& hosts, Call& call);

}  // namespace waywiser::mpibench
