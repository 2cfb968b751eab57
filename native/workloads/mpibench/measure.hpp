/// The measurement loop.
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
    bool held = true;         ///< the data were correct, or were not checked
    double whole_ns = 0;      ///< duration of warm-up and iterations, including gaps
};

/// Returns the plan with the number of iterations that fit into `seconds`, but at least ten, estimated from a trial of
/// ten iterations. This limits the duration with a slow network, or with two ranks on one core. Collective.
[[nodiscard]] Plan affordable(const Plan& plan, double seconds, const Benchmark& benchmark, Call& call,
                              const GlobalClock& clock);

/// Runs one benchmark at one size. Collective.
///
/// Common start: in every iteration, the ranks agree on the latest of their times and start a lead after this time. No
/// iteration starts before all ranks have ended the preceding iteration, and a slow iteration delays only itself.
/// Source: the Round-Time scheme of S. Hunold and A. Carpen-Amarie, "Hierarchical Clock Synchronization in MPI", IEEE
/// CLUSTER 2018; starts on a global clock: T. Hoefler, T. Schneider and A. Lumsdaine, "Accurately measuring collective
/// operations at massive scale", PMEO workshop of IPDPS 2008. A pair needs a common start only once, because each
/// iteration ends with an answer.
[[nodiscard]] Times measure(const Benchmark& benchmark, Call& call, const Plan& plan, const GlobalClock& clock);

}  // namespace waywiser::mpibench
