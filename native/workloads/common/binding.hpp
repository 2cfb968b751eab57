/// The CPUs of threads.
#pragma once

#include "workloads/common/program.hpp"

#include <string>
#include <vector>

namespace waywiser {

/// "" or a line for rank 0's summary about threads that must share CPUs on some rank, as under launchers' default
/// binding. Counts the CPUs of all threads: with OMP_PROC_BIND, the first has only its own. Collective.
[[nodiscard]] std::string shared_cpus_remark(const Ranks& ranks);

/// The CPUs of this process to which no thread of a parallel region is bound; all CPUs if none is left.
[[nodiscard]] std::vector<int> unused_cpus();

/// Moves the calling thread to these CPUs, if the system permits that.
void bind_this_thread(const std::vector<int>& cpus);

}  // namespace waywiser
