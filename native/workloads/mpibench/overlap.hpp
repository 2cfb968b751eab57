/// The share of an operation's time in which a rank can compute.
#pragma once

#include "workloads/mpibench/result.hpp"

#include <cstdint>

namespace waywiser::mpibench {

/// Executes arithmetic without memory accesses, whose rounds depend on each other. The amount of work is fixed, not the
/// time, so that the core time of a progress thread is visible.
void compute(std::int64_t rounds);

/// Measures twice more, without checks of data: the operation alone, and the operation with equally
/// long work between its start and its completion. Collective.
///
/// overlap = 1 - (t_all - t_work) / t_alone, between 0 and 1. Sources: W. Lawry et al., "COMB: A Portable Benchmark
/// Suite for Assessing MPI Overlap", IEEE CLUSTER 2002; the formula is that of OSU's and IMB's nonblocking benchmarks.
/// \returns the result, valid on rank 0
[[nodiscard]] Overlap measure_overlap(const Benchmark& benchmark, Call& call, const Plan& plan,
                                      const GlobalClock& clock);

}  // namespace waywiser::mpibench
