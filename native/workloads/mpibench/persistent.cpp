// Persistent collectives: made once before the iterations, then started and waited for.
#include "workloads/mpibench/started.hpp"
#include "workloads/mpibench/variants.hpp"

#include <array>

namespace waywiser::mpibench {

// Open MPI has them since 5.0, which calls itself MPI 3.1.
#if MPI_VERSION >= 4 || (defined(OMPI_MAJOR_VERSION) && OMPI_MAJOR_VERSION >= 5)
namespace {

template <auto Function, auto Arguments>
constexpr Variant variant(std::string_view name, std::string_view osu_title, std::string_view blocking) {
    return {name, osu_title, blocking, complete_persistent, make_persistent<Function, Arguments>};
}

constexpr std::array table{
    variant<MPI_Barrier_init, barrier_arguments>("persistent_barrier", "Barrier Persistent Latency", "barrier"),
    variant<MPI_Bcast_init, bcast_arguments>("persistent_bcast", "Broadcast Persistent Latency", "bcast"),
    variant<MPI_Allreduce_init, allreduce_arguments>("persistent_allreduce", "Allreduce Persistent Latency",
                                                     "allreduce"),
    variant<MPI_Neighbor_allgather_init, neighbor_arguments>("persistent_neighbor_allgather", "", "neighbor_allgather"),
    variant<MPI_Neighbor_alltoall_init, neighbor_arguments>("persistent_neighbor_alltoall", "", "neighbor_alltoall"),
};

}  // namespace

std::span<const Variant> persistent() { return table; }
#else
std::span<const Variant> persistent() { return {}; }
#endif

}  // namespace waywiser::mpibench
