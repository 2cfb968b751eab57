#include "explain/operations.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <utility>

namespace waywiser::explain {
namespace {

/// A neighbourhood's members are in no record, and file operations need not synchronise.
constexpr std::array<std::pair<std::string_view, Role>, 39> kRoles{{
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
}};

constexpr std::array<std::string_view, 9> kNotFollowed{"Win_post",   "Win_start",      "Win_complete",
                                                       "Win_wait",   "Win_lock",       "Win_lock_all",
                                                       "Win_unlock", "Win_unlock_all", "Win_flush"};

}  // namespace

std::string operation_of(std::string_view function) {
    for (const std::string_view suffix : {"_c", "_init"}) {
        if (function.ends_with(suffix)) function.remove_suffix(suffix.size());
    }
    if (function.starts_with("MPI_")) function.remove_prefix(4);
    std::string name(function);
    if (name.size() > 1 && name[0] == 'I' && std::islower(static_cast<unsigned char>(name[1])) != 0) {
        name.erase(0, 1);
        name[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(name[0])));
    }
    return name;
}

Operation operation(std::string_view function) {
    const std::string name = operation_of(function);
    Operation found;
    const auto* role = std::ranges::find(kRoles, name, &std::pair<std::string_view, Role>::first);
    if (role != kRoles.end()) found.role = role->second;
    if (name == "Ssend") found.mode = SendMode::synchronous;
    if (name == "Bsend") found.mode = SendMode::local;
    found.unmatched_sync = std::ranges::find(kNotFollowed, name) != kNotFollowed.end();
    return found;
}

}  // namespace waywiser::explain
