#include "mpi/roles.hpp"

#include <algorithm>
#include <cctype>
#include <iterator>

namespace waywiser::mpi {
namespace {

template <class Meaning>
struct Row {
    Meaning meaning;
    std::string_view operations;  ///< names of operations, each between two spaces
};

constexpr Row<Role> kRoles[] = {
    {Role::barrier, " Barrier "},
    {Role::all_to_all,
     " Allgather Allgatherv Allreduce Alltoall Alltoallv Alltoallw Reduce_scatter Reduce_scatter_block "},
    {Role::from_root, " Bcast Scatter Scatterv "},
    {Role::to_root, " Gather Gatherv Reduce "},
    {Role::scan, " Scan Exscan File_read_ordered File_write_ordered File_read_ordered_begin File_write_ordered_begin "},
    {Role::fence, " Win_fence Win_free "},
    {Role::finalise, " Finalize "},
    {Role::make_object,
     " Comm_create Comm_dup Comm_dup_with_info Comm_split Comm_split_type Cart_create Cart_sub Comm_idup "
     "Comm_idup_with_info Graph_create Dist_graph_create Dist_graph_create_adjacent Intercomm_create Intercomm_merge "
     "Win_create Win_create_dynamic Win_allocate_shared Win_allocate File_open "},
    {Role::neighbours,
     " Neighbor_allgather Neighbor_allgatherv Neighbor_alltoall Neighbor_alltoallv Neighbor_alltoallw "},
    {Role::file,
     " File_close File_set_size File_preallocate File_set_view File_set_atomicity File_sync File_read_all "
     "File_read_at_all File_write_all File_write_at_all File_iread_all File_iread_at_all File_iwrite_all "
     "File_iwrite_at_all File_read_all_begin File_read_at_all_begin File_write_all_begin File_write_at_all_begin "},
};

constexpr Row<Epoch> kEpochs[] = {
    {Epoch::post, " Win_post "},
    {Epoch::start, " Win_start "},
    {Epoch::complete, " Win_complete "},
    {Epoch::wait, " Win_wait Win_test "},
    {Epoch::lock, " Win_lock Win_lock_all "},
    {Epoch::flush, " Win_flush Win_flush_all Win_flush_local Win_flush_local_all "},
    {Epoch::unlock, " Win_unlock Win_unlock_all "},
    {Epoch::begin_split, " File_read_all_begin File_read_at_all_begin File_write_all_begin File_write_at_all_begin "},
    {Epoch::end_split, " File_read_all_end File_read_at_all_end File_write_all_end File_write_at_all_end "},
};

template <class Meaning, std::size_t n>
Meaning meaning_of(const std::string& name, const Row<Meaning> (&table)[n]) {
    const auto* match = std::ranges::find_if(table, [&](const Row<Meaning>& row) {
        return row.operations.find(' ' + name + ' ') != std::string_view::npos;
    });
    return match == std::end(table) ? Meaning::none : match->meaning;
}

}  // namespace

std::string operation_of(std::string_view function) {
    for (const std::string_view suffix : {"_c", "_init"}) {
        if (function.ends_with(suffix)) function.remove_suffix(suffix.size());
    }
    if (function.starts_with("MPI_")) function.remove_prefix(4);
    std::string name(function);
    const bool marked = name.size() > 1 && name[0] == 'I' && std::islower(static_cast<unsigned char>(name[1])) != 0;
    // The I of MPI_Intercomm_create, MPI_Info_set and MPI_Init does not mark a nonblocking call.
    if (marked && (!name.starts_with("In") || name.starts_with("Ineighbor"))) {
        name.erase(0, 1);
        name[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(name[0])));
    }
    return name;
}

CallRole call_role(std::string_view function) {
    const std::string name = operation_of(function);
    CallRole call{.role = meaning_of(name, kRoles),
                  .mode = SendMode::standard,
                  .epoch = meaning_of(name, kEpochs),
                  .duplicates = name.starts_with("Comm_dup") || name.starts_with("Comm_idup")};
    if (name == "Ssend") call.mode = SendMode::synchronous;
    const bool notifies = call.role == Role::neighbours || call.epoch == Epoch::post || call.epoch == Epoch::complete;
    if (name == "Bsend" || notifies) call.mode = SendMode::local;
    return call;
}

}  // namespace waywiser::mpi
