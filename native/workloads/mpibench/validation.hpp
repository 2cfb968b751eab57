/// Known data in the buffers, and the comparison of what arrived with what must have.
#pragma once

#include "workloads/mpibench/benchmarks.hpp"

#include <cstdint>

namespace waywiser::mpibench {

/// Fills what this rank sends in that iteration, and spoils what it will receive.
void fill(const Benchmark& benchmark, const Call& call, std::int64_t iteration);

/// True if every element that must have arrived in that iteration did.
[[nodiscard]] bool holds(const Benchmark& benchmark, const Call& call, std::int64_t iteration);

/// Blocks of a buffer.
[[nodiscard]] int count_of(Blocks blocks, const Call& call);

}  // namespace waywiser::mpibench
