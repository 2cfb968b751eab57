// Persistent collectives: made once before the iterations, then started and waited for.
#include "workloads/mpibench/started.hpp"
#include "workloads/mpibench/variants.hpp"

#include <array>

namespace waywiser::mpibench {

// Open MPI has persistent collectives since version 5.0, which reports MPI 3.1.
#if MPI_VERSION >= 4 || (defined(OMPI_MAJOR_VERSION) && OMPI_MAJOR_VERSION >= 5)
namespace {

template <auto Function, auto Arguments>
constexpr Variant persistent(std::string_view name, std::string_view osu_title, std::string_view blocking) {
    return {name, osu_title, blocking, complete_persistent, make_persistent<Function, Arguments>};
}

constexpr std::array persistent_table{
    persistent<MPI_Barrier_init, barrier_arguments>("persistent_barrier", "Barrier Persistent", "barrier"),
    persistent<MPI_Bcast_init, bcast_arguments>("persistent_bcast", "Broadcast Persistent", "bcast"),
    persistent<MPI_Scatter_init, gather_arguments>("persistent_scatter", "Scatter Persistent", "scatter"),
    persistent<MPI_Scatterv_init, scatterv_arguments>("persistent_scatterv", "Scatterv Persistent", "scatterv"),
    persistent<MPI_Gather_init, gather_arguments>("persistent_gather", "Gather Persistent", "gather"),
    persistent<MPI_Gatherv_init, gatherv_arguments>("persistent_gatherv", "Gatherv Persistent", "gatherv"),
    persistent<MPI_Allgather_init, allgather_arguments>("persistent_allgather", "Allgather Persistent", "allgather"),
    persistent<MPI_Allgatherv_init, allgatherv_arguments>("persistent_allgatherv", "Allgatherv Persistent",
                                                          "allgatherv"),
    persistent<MPI_Alltoall_init, allgather_arguments>("persistent_alltoall", "All-to-All Persistent", "alltoall"),
    persistent<MPI_Alltoallv_init, alltoallv_arguments>("persistent_alltoallv", "All-to-Allv Persistent", "alltoallv"),
    persistent<MPI_Alltoallw_init, alltoallw_arguments>("persistent_alltoallw", "All-to-Allw Persistent", "alltoallw"),
    persistent<MPI_Reduce_init, reduce_arguments>("persistent_reduce", "Reduce Persistent", "reduce"),
    persistent<MPI_Allreduce_init, allreduce_arguments>("persistent_allreduce", "Allreduce Persistent", "allreduce"),
    persistent<MPI_Reduce_scatter_init, reduce_scatter_arguments>("persistent_reduce_scatter",
                                                                  "Reduce_scatter Persistent", "reduce_scatter"),
    persistent<MPI_Reduce_scatter_block_init, reduce_scatter_block_arguments>(
        "persistent_reduce_scatter_block", "Reduce_scatter_block Persistent", "reduce_scatter_block"),
    persistent<MPI_Scan_init, allreduce_arguments>("persistent_scan", "", "scan"),
    persistent<MPI_Exscan_init, allreduce_arguments>("persistent_exscan", "", "exscan"),
    persistent<MPI_Neighbor_allgather_init, neighbor_arguments>("persistent_neighbor_allgather", "",
                                                                "neighbor_allgather"),
    persistent<MPI_Neighbor_alltoall_init, neighbor_arguments>("persistent_neighbor_alltoall", "", "neighbor_alltoall"),
    persistent<MPI_Neighbor_allgatherv_init, neighbor_allgatherv_arguments>("persistent_neighbor_allgatherv", "",
                                                                            "neighbor_allgatherv"),
    persistent<MPI_Neighbor_alltoallv_init, neighbor_alltoallv_arguments>("persistent_neighbor_alltoallv", "",
                                                                          "neighbor_alltoallv"),
    persistent<MPI_Neighbor_alltoallw_init, neighbor_alltoallw_arguments>("persistent_neighbor_alltoallw", "",
                                                                          "neighbor_alltoallw"),
};

}  // namespace

std::span<const Variant> persistent_variants() { return persistent_table; }
#else
std::span<const Variant> persistent_variants() { return {}; }
#endif

}  // namespace waywiser::mpibench
