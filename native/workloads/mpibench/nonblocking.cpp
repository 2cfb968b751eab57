// Nonblocking collectives, with concurrent work if overlap is measured.
#include "workloads/mpibench/started.hpp"
#include "workloads/mpibench/variants.hpp"

#include <array>

namespace waywiser::mpibench {
namespace {

template <auto Function, auto Arguments>
constexpr Variant nonblocking(std::string_view name, std::string_view osu_title, std::string_view blocking) {
    return {name, osu_title, blocking, complete<Function, Arguments>};
}

constexpr std::array nonblocking_table{
    nonblocking<MPI_Ibarrier, barrier_arguments>("ibarrier", "Non-blocking Barrier", "barrier"),
    nonblocking<MPI_Ibcast, bcast_arguments>("ibcast", "Non-Blocking Broadcast", "bcast"),
    nonblocking<MPI_Iscatter, gather_arguments>("iscatter", "Non-blocking Scatter", "scatter"),
    nonblocking<MPI_Iscatterv, scatterv_arguments>("iscatterv", "Non-blocking Scatterv", "scatterv"),
    nonblocking<MPI_Igather, gather_arguments>("igather", "Non-blocking Gather", "gather"),
    nonblocking<MPI_Igatherv, gatherv_arguments>("igatherv", "Non-blocking Gatherv", "gatherv"),
    nonblocking<MPI_Iallgather, allgather_arguments>("iallgather", "Non-blocking Allgather", "allgather"),
    nonblocking<MPI_Iallgatherv, allgatherv_arguments>("iallgatherv", "Non-blocking Allgatherv", "allgatherv"),
    nonblocking<MPI_Ialltoall, allgather_arguments>("ialltoall", "Non-blocking All-to-All", "alltoall"),
    nonblocking<MPI_Ialltoallv, alltoallv_arguments>("ialltoallv", "Non-blocking All-to-Allv", "alltoallv"),
    nonblocking<MPI_Ialltoallw, alltoallw_arguments>("ialltoallw", "Non-blocking All-to-Allw", "alltoallw"),
    nonblocking<MPI_Ireduce, reduce_arguments>("ireduce", "Non-blocking Reduce", "reduce"),
    nonblocking<MPI_Iallreduce, allreduce_arguments>("iallreduce", "Non-blocking Allreduce", "allreduce"),
    nonblocking<MPI_Ireduce_scatter, reduce_scatter_arguments>("ireduce_scatter", "Non-blocking Reduce_scatter",
                                                               "reduce_scatter"),
    nonblocking<MPI_Ireduce_scatter_block, reduce_scatter_block_arguments>(
        "ireduce_scatter_block", "Non-blocking Reduce_scatter_block", "reduce_scatter_block"),
    nonblocking<MPI_Iscan, allreduce_arguments>("iscan", "", "scan"),
    nonblocking<MPI_Iexscan, allreduce_arguments>("iexscan", "", "exscan"),
    nonblocking<MPI_Ineighbor_allgather, neighbor_arguments>(
        "ineighbor_allgather", "Non-blocking Neighborhood Allgather", "neighbor_allgather"),
    nonblocking<MPI_Ineighbor_alltoall, neighbor_arguments>("ineighbor_alltoall", "Non-blocking Neighborhood Alltoall",
                                                            "neighbor_alltoall"),
    nonblocking<MPI_Ineighbor_allgatherv, neighbor_allgatherv_arguments>(
        "ineighbor_allgatherv", "Non-blocking Neighborhood Allgatherv", "neighbor_allgatherv"),
    nonblocking<MPI_Ineighbor_alltoallv, neighbor_alltoallv_arguments>(
        "ineighbor_alltoallv", "Non-blocking Neighborhood Alltoallv", "neighbor_alltoallv"),
    nonblocking<MPI_Ineighbor_alltoallw, neighbor_alltoallw_arguments>(
        "ineighbor_alltoallw", "Non-blocking Neighborhood Alltoallw", "neighbor_alltoallw"),
};

}  // namespace

std::span<const Variant> nonblocking_variants() { return nonblocking_table; }

}  // namespace waywiser::mpibench
