// Nonblocking collectives: started, computed beside where the overlap is measured, and waited for.
#include "workloads/mpibench/started.hpp"
#include "workloads/mpibench/variants.hpp"

#include <array>

namespace waywiser::mpibench {
namespace {

constexpr std::array table{
    Variant{"ibarrier", "Non-blocking Barrier Latency", "barrier", complete<MPI_Ibarrier, barrier_arguments>},
    Variant{"ibcast", "Non-Blocking Broadcast Latency", "bcast", complete<MPI_Ibcast, bcast_arguments>},
    Variant{"iallreduce", "Non-blocking Allreduce Latency", "allreduce", complete<MPI_Iallreduce, allreduce_arguments>},
    Variant{"ineighbor_allgather", "Non-blocking Neighborhood Allgather Latency", "neighbor_allgather",
            complete<MPI_Ineighbor_allgather, neighbor_arguments>},
    Variant{"ineighbor_alltoall", "Non-blocking Neighborhood Alltoall Latency", "neighbor_alltoall",
            complete<MPI_Ineighbor_alltoall, neighbor_arguments>},
};

}  // namespace

std::span<const Variant> nonblocking() { return table; }

}  // namespace waywiser::mpibench
