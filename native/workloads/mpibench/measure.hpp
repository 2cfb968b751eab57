/// The measuring loop.
#pragma once

#include "workloads/mpibench/benchmarks.hpp"
#include "workloads/mpibench/clock.hpp"
#include "workloads/mpibench/settings.hpp"

#include <cstdint>
#include <vector>

namespace waywiser::mpibench {

struct Plan {
    Method method;
    std::int64_t iterations;
    std::int64_t warmup;
    bool check;
};

/// One rank's measurements.
struct Times {
    std::vector<double> ns;          ///< time of each iteration; empty if this rank does not measure
    std::vector<std::uint8_t> late;  ///< by iteration: 1 if this rank started after the common start
    double loop_mean_ns = 0;  ///< duration of the whole loop divided by its iterations, if only that was measured
    bool held = true;         ///< the data were right, or not checked
    double whole_ns = 0;      ///< duration of warm-up and iterations, including gaps
};

/// Collective. The plan with as many iterations as should fit into `seconds`, judging by a trial of ten; ten at least.
/// A slow network, or one core for two ranks, must not turn a run of seconds into one of hours.
[[nodiscard]] Plan affordable(const Plan& plan, double seconds, const Benchmark& benchmark, Call& call,
                              const GlobalClock& clock);

/// Collective. Runs one benchmark at one size.
///
/// Common start: in every iteration the ranks agree on the latest of their times and start a lead after it. No
/// iteration thus begins before all ranks have ended the preceding one, and a slow iteration delays only itself.
/// Source: the Round-Time scheme of S. Hunold and A. Carpen-Amarie, "Hierarchical Clock Synchronization in MPI", IEEE
/// CLUSTER 2018; starts on a global clock: T. Hoefler, T. Schneider and A. Lumsdaine, "Accurately measuring collective
/// operations at massive scale", PMEO workshop of IPDPS 2008. A pair needs it only once: each iteration ends with an
/// answer.
[[nodiscard]] Times measure(const Benchmark& benchmark, Call& call, const Plan& plan, const GlobalClock& clock);

}  // namespace waywiser::mpibench
