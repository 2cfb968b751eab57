/// Known data in the buffers, and the comparison of received with expected data.
#pragma once

#include "workloads/mpibench/benchmarks.hpp"

#include <cstdint>

namespace waywiser::mpibench {

/// Fills the send buffer with this rank's data of an iteration, and overwrites the receive buffer with other data.
void fill(const Benchmark& benchmark, const Call& call, std::int64_t iteration);

/// True if all received elements of an iteration are as expected.
[[nodiscard]] bool holds(const Benchmark& benchmark, const Call& call, std::int64_t iteration);

/// Number of blocks in a buffer.
[[nodiscard]] int count_of(Blocks blocks, const Call& call);

}  // namespace waywiser::mpibench
