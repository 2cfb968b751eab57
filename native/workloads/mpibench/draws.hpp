/// Tasks that ranks draw one by one, as GAMESS and its like do. MPI_Fetch_and_op adds 1 to a counter, which lies in a
/// window on the first of the ranks that share it. The value that it finds there is the number of a task.
#pragma once

#include "workloads/mpibench/benchmarks.hpp"

#include <span>

namespace waywiser::mpibench {

/// `counter` draws numbers and does nothing else; `dynamic` computes for as long as each task takes.
[[nodiscard]] std::span<const Benchmark> drawing_benchmarks();

}  // namespace waywiser::mpibench
