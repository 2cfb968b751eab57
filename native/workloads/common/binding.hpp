/// Whether every thread has a CPU of its own.
#pragma once

#include "workloads/common/program.hpp"

#include <string>

namespace waywiser {

/// "" or a line for rank 0's summary: threads that have to share CPUs on some rank, as launchers bind them by default.
/// Collective.
[[nodiscard]] std::string shared_cpus_remark(const Ranks& ranks);

}  // namespace waywiser
