#include "mpi/roles.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <utility>

namespace waywiser::mpi {
namespace {

constexpr std::array<std::pair<std::string_view, Role>, 66> kRoles{{
    {"Barrier", Role::barrier},
    {"Allgather", Role::all_to_all},
    {"Allgatherv", Role::all_to_all},
    {"Allreduce", Role::all_to_all},
    {"Alltoall", Role::all_to_all},
    {"Alltoallv", Role::all_to_all},
    {"Alltoallw", Role::all_to_all},
    {"Reduce_scatter", Role::all_to_all},
    {"Reduce_scatter_block", Role::all_to_all},
    {"Bcast", Role::from_root},
    {"Scatter", Role::from_root},
    {"Scatterv", Role::from_root},
    {"Gather", Role::to_root},
    {"Gatherv", Role::to_root},
    {"Reduce", Role::to_root},
    {"Scan", Role::scan},
    {"Exscan", Role::scan},
    {"Win_fence", Role::fence},
    {"Win_free", Role::fence},
    {"Finalize", Role::finalise},
    {"Comm_create", Role::make_object},
    {"Comm_dup", Role::make_object},
    {"Comm_dup_with_info", Role::make_object},
    {"Comm_split", Role::make_object},
    {"Comm_split_type", Role::make_object},
    {"Cart_create", Role::make_object},
    {"Cart_sub", Role::make_object},
    {"Comm_idup", Role::make_object},
    {"Comm_idup_with_info", Role::make_object},
    {"Graph_create", Role::make_object},
    {"Dist_graph_create", Role::make_object},
    {"Dist_graph_create_adjacent", Role::make_object},
    {"Intercomm_create", Role::make_object},
    {"Intercomm_merge", Role::make_object},
    {"Win_create", Role::make_object},
    {"Win_create_dynamic", Role::make_object},
    {"Win_allocate_shared", Role::make_object},
    {"Win_allocate", Role::make_object},
    {"File_open", Role::make_object},
    {"Neighbor_allgather", Role::neighbours},
    {"Neighbor_allgatherv", Role::neighbours},
    {"Neighbor_alltoall", Role::neighbours},
    {"Neighbor_alltoallv", Role::neighbours},
    {"Neighbor_alltoallw", Role::neighbours},
    {"File_close", Role::file},
    {"File_set_size", Role::file},
    {"File_preallocate", Role::file},
    {"File_set_view", Role::file},
    {"File_set_atomicity", Role::file},
    {"File_sync", Role::file},
    {"File_read_all", Role::file},
    {"File_read_at_all", Role::file},
    {"File_write_all", Role::file},
    {"File_write_at_all", Role::file},
    {"File_iread_all", Role::file},
    {"File_iread_at_all", Role::file},
    {"File_iwrite_all", Role::file},
    {"File_iwrite_at_all", Role::file},
    {"File_read_all_begin", Role::file},
    {"File_read_at_all_begin", Role::file},
    {"File_write_all_begin", Role::file},
    {"File_write_at_all_begin", Role::file},
    {"File_read_ordered", Role::scan},
    {"File_write_ordered", Role::scan},
    {"File_read_ordered_begin", Role::scan},
    {"File_write_ordered_begin", Role::scan},
}};

constexpr std::array<std::pair<std::string_view, Epoch>, 21> kEpochs{{
    {"Win_post", Epoch::post},
    {"Win_start", Epoch::start},
    {"Win_complete", Epoch::complete},
    {"Win_wait", Epoch::wait},
    {"Win_test", Epoch::wait},
    {"Win_lock", Epoch::lock},
    {"Win_lock_all", Epoch::lock},
    {"Win_flush", Epoch::flush},
    {"Win_flush_all", Epoch::flush},
    {"Win_flush_local", Epoch::flush},
    {"Win_flush_local_all", Epoch::flush},
    {"Win_unlock", Epoch::unlock},
    {"Win_unlock_all", Epoch::unlock},
    {"File_read_all_begin", Epoch::begin_split},
    {"File_read_at_all_begin", Epoch::begin_split},
    {"File_write_all_begin", Epoch::begin_split},
    {"File_write_at_all_begin", Epoch::begin_split},
    {"File_read_all_end", Epoch::end_split},
    {"File_read_at_all_end", Epoch::end_split},
    {"File_write_all_end", Epoch::end_split},
    {"File_write_at_all_end", Epoch::end_split},
}};

template <class What, std::size_t n>
What what_of(std::string_view name, const std::array<std::pair<std::string_view, What>, n>& table) {
    const auto* found = std::ranges::find(table, name, &std::pair<std::string_view, What>::first);
    return found == table.end() ? What::none : found->second;
}

}  // namespace

std::string operation_of(std::string_view function) {
    for (const std::string_view suffix : {"_c", "_init"}) {
        if (function.ends_with(suffix)) function.remove_suffix(suffix.size());
    }
    if (function.starts_with("MPI_")) function.remove_prefix(4);
    std::string name(function);
    const bool marked = name.size() > 1 && name[0] == 'I' && std::islower(static_cast<unsigned char>(name[1])) != 0;
    // The I of MPI_Intercomm_create, MPI_Info_set and MPI_Init does not mean that they are nonblocking.
    if (marked && (!name.starts_with("In") || name.starts_with("Ineighbor"))) {
        name.erase(0, 1);
        name[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(name[0])));
    }
    return name;
}

CallRole call_role(std::string_view function) {
    const std::string name = operation_of(function);
    CallRole found{.role = what_of(name, kRoles),
                   .mode = SendMode::standard,
                   .epoch = what_of(name, kEpochs),
                   .duplicates = name.starts_with("Comm_dup") || name.starts_with("Comm_idup")};
    if (name == "Ssend") found.mode = SendMode::synchronous;
    const bool notifies =
        found.role == Role::neighbours || found.epoch == Epoch::post || found.epoch == Epoch::complete;
    if (name == "Bsend" || notifies) found.mode = SendMode::local;
    return found;
}

}  // namespace waywiser::mpi
