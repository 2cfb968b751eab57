/// Measurements to which `waywiser machine calibrate` fits LogGP's parameters.
#pragma once

#include "workloads/mpibench/benchmarks.hpp"

#include <cstdint>
#include <vector>

namespace waywiser::mpibench {

/// Collective. Medians of one size: the overhead of sending, the interval between messages, and how long a blocking
/// send takes whose receiver is late.
[[nodiscard]] std::vector<Metric> loggp_costs(Call& call, std::int64_t iterations, const TickClock& clock);

}  // namespace waywiser::mpibench
