#include "workloads/common/node_memory.hpp"

#include "base/error.hpp"
#include "workloads/common/text.hpp"

#include <unistd.h>

namespace waywiser {

void require_memory(double bytes, const std::string& problem, const std::string& instead, const Ranks& ranks) {
    MPI_Comm node = MPI_COMM_NULL;
    MPI_Comm_split_type(ranks.communicator, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node);
    double needed = bytes;
    MPI_Allreduce(MPI_IN_PLACE, &needed, 1, MPI_DOUBLE, MPI_SUM, node);
    MPI_Comm_free(&node);
    const double there = static_cast<double>(sysconf(_SC_PHYS_PAGES)) * static_cast<double>(sysconf(_SC_PAGESIZE));
    struct {
        double missing;
        int rank;
    } worst{needed - there, ranks.rank};
    MPI_Allreduce(MPI_IN_PLACE, &worst, 1, MPI_DOUBLE_INT, MPI_MAXLOC, ranks.communicator);
    std::array<double, 2> both{needed, there};
    MPI_Bcast(both.data(), 2, MPI_DOUBLE, worst.rank, ranks.communicator);
    constexpr double gib = 1024. * 1024. * 1024.;
    require(worst.missing <= 0, text("%s need %.1f GiB on a node that has %.1f GiB: take %s or more nodes", problem,
                                     both[0] / gib, both[1] / gib, instead));
}

}  // namespace waywiser
