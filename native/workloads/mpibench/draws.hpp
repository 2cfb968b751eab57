/// Tasks that ranks draw one by one, as in GAMESS and similar codes. MPI_Fetch_and_op adds 1 to a counter in a window
/// on the first of the ranks that share the counter. The former value is the number of a task.
#pragma once

#include "workloads/mpibench/benchmarks.hpp"

#include <span>

namespace waywiser::mpibench {

/// `counter` draws numbers and does nothing else; `dynamic` also computes for the length of each task.
[[nodiscard]] std::span<const Benchmark> drawing_benchmarks();

}  // namespace waywiser::mpibench
