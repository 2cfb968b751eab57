#include "workloads/common/binding.hpp"

#include "workloads/common/threads.hpp"

#include <sched.h>

#include <algorithm>

namespace waywiser {

std::string shared_cpus_remark(const Ranks& ranks) {
    cpu_set_t allowed;
    CPU_ZERO(&allowed);
    const bool known = sched_getaffinity(0, sizeof allowed, &allowed) == 0;  // fails beyond 1024 CPUs
    const int threads = thread_limit();
    int missing = known ? std::max(0, threads - CPU_COUNT(&allowed)) : 0;
    MPI_Allreduce(MPI_IN_PLACE, &missing, 1, MPI_INT, MPI_MAX, ranks.communicator);
    if (missing == 0) return "";
    return "NOTE: " + std::to_string(threads) + " threads of a rank share " + std::to_string(threads - missing) +
           " CPU(s): bind ranks to as many CPUs as they have threads (Open MPI: --map-by slot:PE=" +
           std::to_string(threads) + ", or --bind-to none)\n";
}

}  // namespace waywiser
