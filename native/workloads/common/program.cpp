#include "workloads/common/program.hpp"

#include "base/error.hpp"
#include "workloads/common/threads.hpp"

#include <sched.h>

#include <algorithm>
#include <cstdio>

namespace waywiser {
namespace {

ExitCode guarded(const char* name, Arguments arguments, const Ranks& ranks,
                 ExitCode (*body)(Arguments, const Ranks&)) {
    try {
        return body(arguments, ranks);
    } catch (const InvalidInput& error) {
        if (ranks.rank == 0) std::fprintf(stderr, "%s: %s\n", name, error.what());
        return refused;
    }
}

}  // namespace

int run_program(const char* name, int argc, char** argv, ExitCode (*body)(Arguments, const Ranks&)) {
    int provided = 0;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
    Ranks ranks{MPI_COMM_WORLD, 0, 1};
    MPI_Comm_rank(ranks.communicator, &ranks.rank);
    MPI_Comm_size(ranks.communicator, &ranks.count);
    ExitCode code = success;
    try {
        code = guarded(name, {argv + 1, static_cast<std::size_t>(argc - 1)}, ranks, body);
    } catch (const std::exception& error) {
        std::fprintf(stderr, "%s: rank %d: %s\n", name, ranks.rank, error.what());
        MPI_Abort(ranks.communicator, unverified);
    }
    MPI_Finalize();
    return code;
}

std::optional<JsonLines> open_json(const std::string& file, const Ranks& ranks) {
    std::optional<JsonLines> lines;
    std::string refusal;
    int opened = 1;
    if (ranks.rank == 0 && !file.empty()) {
        try {
            lines.emplace(file);
        } catch (const InvalidInput& error) {
            refusal = error.what();
            opened = 0;
        }
    }
    MPI_Bcast(&opened, 1, MPI_INT, 0, ranks.communicator);
    require(opened != 0, refusal);
    return lines;
}

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
