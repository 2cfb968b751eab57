/// The CPUs of threads.
#pragma once

#include "workloads/common/program.hpp"

#include <string>
#include <vector>

namespace waywiser {

/// Returns a line for rank 0's summary if threads must share CPUs on some rank, as under launchers' default binding,
/// otherwise "". The CPUs of all threads count, because with OMP_PROC_BIND the first thread has only its own CPUs.
/// Collective.
[[nodiscard]] std::string shared_cpus_remark(const Ranks& ranks);

/// The CPUs of this process to which no thread of a parallel region is bound; all CPUs if none is left.
[[nodiscard]] std::vector<int> unused_cpus();

/// Moves the calling thread to these CPUs, if the system permits that.
void bind_this_thread(const std::vector<int>& cpus);

}  // namespace waywiser
