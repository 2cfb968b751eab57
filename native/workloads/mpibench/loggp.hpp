/// Measurements to which `waywiser machine calibrate` fits LogGP's parameters.
#pragma once

#include "workloads/mpibench/benchmarks.hpp"

#include <cstdint>
#include <vector>

namespace waywiser::mpibench {

/// Medians for one size: the overhead of sending, the interval between messages, and the duration of a blocking send
/// with a late receiver. Collective.
[[nodiscard]] std::vector<Metric> loggp_costs(Call& call, std::int64_t iterations, const TickClock& clock);

}  // namespace waywiser::mpibench
