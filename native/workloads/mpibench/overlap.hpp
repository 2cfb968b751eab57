/// The share of an operation's time in which a rank can compute.
#pragma once

#include "workloads/mpibench/result.hpp"

#include <cstdint>

namespace waywiser::mpibench {

/// Arithmetic without memory, whose rounds depend on each other. A fixed amount of work rather than a fixed time: what
/// a progress thread takes of the core is then seen.
void compute(std::int64_t rounds);

/// Collective. Measures twice again, at once and with unchecked data: the operation alone, and with as much work
/// between its start and its completion as that took.
///
/// overlap = 1 - (t_all - t_work) / t_alone, between 0 and 1. Sources: W. Lawry et al., "COMB: A Portable Benchmark
/// Suite for Assessing MPI Overlap", IEEE CLUSTER 2002; the formula is that of OSU's and IMB's nonblocking benchmarks.
/// \returns what holds on rank 0
[[nodiscard]] Overlap measure_overlap(const Benchmark& benchmark, Call& call, const Plan& plan,
                                      const GlobalClock& clock);

}  // namespace waywiser::mpibench
