#include "workloads/common/binding.hpp"

#include "workloads/common/threads.hpp"

#include <sched.h>

#include <algorithm>

namespace waywiser {
namespace {

/// The allowed CPUs; none if the system does not report them, as beyond 1024 CPUs.
cpu_set_t allowed_cpus() {
    cpu_set_t allowed;
    CPU_ZERO(&allowed);
    if (sched_getaffinity(0, sizeof allowed, &allowed) != 0) CPU_ZERO(&allowed);
    return allowed;
}

/// CPUs of the process, even if the runtime has bound the calling thread to a part of them.
cpu_set_t process_cpus() {
    cpu_set_t all = allowed_cpus();
#ifdef WAYWISER_OPENMP
    for (int place = 0; place < omp_get_num_places(); ++place) {
        std::vector<int> cpus(static_cast<std::size_t>(omp_get_place_num_procs(place)));
        omp_get_place_proc_ids(place, cpus.data());
        for (const int cpu : cpus) CPU_SET(static_cast<unsigned>(cpu), &all);
    }
#endif
    return all;
}

cpu_set_t cpus_of_threads() {
    cpu_set_t used;
    CPU_ZERO(&used);
#pragma omp parallel
    {
        const cpu_set_t own = allowed_cpus();
#pragma omp critical
        CPU_OR(&used, &used, &own);
    }
    return used;
}

}  // namespace

std::string shared_cpus_remark(const Ranks& ranks) {
    const cpu_set_t used = cpus_of_threads();
    const int cpus = CPU_COUNT(&used);
    const int threads = thread_limit();
    int missing = cpus > 0 ? std::max(0, threads - cpus) : 0;
    MPI_Allreduce(MPI_IN_PLACE, &missing, 1, MPI_INT, MPI_MAX, ranks.communicator);
    if (missing == 0) return "";
    return "NOTE: " + std::to_string(threads) + " threads of a rank share " + std::to_string(threads - missing) +
           " CPU(s): bind ranks to as many CPUs as they have threads (Open MPI: --map-by slot:PE=" +
           std::to_string(threads) + ", or --bind-to none)\n";
}

std::vector<int> unused_cpus() {
    const cpu_set_t all = process_cpus();
    const cpu_set_t used = cpus_of_threads();
    std::vector<int> every;
    std::vector<int> unused;
    for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
        const auto number = static_cast<unsigned>(cpu);
        if (!CPU_ISSET(number, &all)) continue;
        every.push_back(cpu);
        if (!CPU_ISSET(number, &used)) unused.push_back(cpu);
    }
    return unused.empty() ? every : unused;
}

void bind_this_thread(const std::vector<int>& cpus) {
    cpu_set_t set;
    CPU_ZERO(&set);
    for (const int cpu : cpus) CPU_SET(static_cast<unsigned>(cpu), &set);
    sched_setaffinity(0, sizeof set, &set);
}

}  // namespace waywiser
