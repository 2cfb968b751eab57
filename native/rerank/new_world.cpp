#include "rerank/new_world.hpp"

#include <cstdio>
#include <cstdlib>

#include "profile/preload/preload_list.hpp"
#include "rerank/library_faults.hpp"
#include "rerank/rank_order.hpp"

namespace waywiser::rerank {

constinit NewWorld new_world;

namespace {

using profile::library;
using profile::next_function;  // This function bypasses every tool.

constexpr const char* kVariable = "WAYWISER_RANK_ORDER";

constinit bool is_checked = false;

Handle handle(std::uintptr_t bits) { return reinterpret_cast<Handle>(bits); }

Handle world() { return handle(library.comm_world); }

bool was_spawned() {
    const auto get_parent = next_function<int (*)(Handle*)>("PMPI_Comm_get_parent");
    Handle parent = nullptr;
    return get_parent != nullptr && get_parent(&parent) == 0 && library.key(parent) != library.constants.comm_null;
}

/// The number of this process's program among several that were started together.
int program_number() {
    const auto get = next_function<int (*)(Handle, int, int**, int*)>("PMPI_Comm_get_attr");
    int* number = nullptr;
    int flag = 0;
    const bool known = get != nullptr && get(world(), library.constants.appnum, &number, &flag) == 0 && flag != 0;
    return known ? *number : 0;
}

/// Broadcasts an integer as bytes, because the handle of MPI_INT varies more between libraries.
void broadcast(int* value, int root) {
    const auto call = next_function<int (*)(void*, int, Handle, int, Handle)>("PMPI_Bcast");
    call(value, sizeof *value, handle(library.constants.byte), root, world());
}

/// \param values  on rank 0: one value per rank
int scattered(const int* values) {
    const auto call = next_function<int (*)(const void*, int, Handle, void*, int, Handle, int, Handle)>("PMPI_Scatter");
    Handle byte = handle(library.constants.byte);
    int own = 0;
    call(values, sizeof own, byte, &own, sizeof own, byte, 0, world());
    return own;
}

/// Finds this process's new rank. Collective.
/// \return false if the ranks keep their order
bool find_new_rank(const char* path, int* new_rank) {
    int rank = 0;
    int size = 0;
    library.comm_rank(world(), &rank);
    library.comm_size(world(), &size);
    if (size == 1) return false;
    // Launchers number the ranks of several programs one program after another.
    int programs = program_number();
    broadcast(&programs, size - 1);
    if (programs != 0) {
        if (rank == 0) keep_order("several programs were started together");
        return false;
    }
    RankOrder order;
    int differs = rank == 0 && order.read(path, size) ? 1 : 0;
    broadcast(&differs, 0);
    if (differs != 0) *new_rank = scattered(order.new_ranks());
    return differs != 0;
}

int copy_nothing(Handle, int, void*, void*, void*, int* copied) {
    *copied = 0;
    return 0;
}

int free_new_world(Handle, int, void*, void*) {
    Handle communicator = new_world.communicator;
    new_world = {};
    return next_function<int (*)(Handle*)>("PMPI_Comm_free")(&communicator);
}

/// MPI_Finalize deletes the attributes of MPI_COMM_SELF first, in reverse order of setting (MPI-4.1, section 11.2.4).
/// The callback therefore runs after all of the program's, which may still need the communicator.
void free_at_finalise() {
    const auto create = next_function<int (*)(void*, void*, int*, void*)>("PMPI_Comm_create_keyval");
    const auto set = next_function<int (*)(Handle, int, void*)>("PMPI_Comm_set_attr");
    const auto free = next_function<int (*)(int*)>("PMPI_Comm_free_keyval");
    int key = 0;
    if (create(reinterpret_cast<void*>(copy_nothing), reinterpret_cast<void*>(free_new_world), &key, nullptr) != 0)
        return;
    set(handle(library.constants.comm_self), key, nullptr);
    free(&key);
}

/// The handle in Fortran. In MPICH's family it is the same number, and there may be no conversion function.
int in_fortran(Handle comm) {
    const auto convert = next_function<int (*)(Handle)>("PMPI_Comm_c2f");
    return convert != nullptr ? convert(comm) : static_cast<int>(library.key(comm));
}

/// Replaces MPI_COMM_WORLD. Collective.
void replace_world(int new_rank) {
    const auto split = next_function<int (*)(Handle, int, int, Handle*)>("PMPI_Comm_split");
    const auto set_name = next_function<int (*)(Handle, const char*)>("PMPI_Comm_set_name");
    Handle created = nullptr;
    if (split(world(), 0, new_rank, &created) != 0) return;
    set_name(created, "MPI_COMM_WORLD");
    new_world = {.identifying_bits = library.key(handle(~std::uintptr_t{0})),
                 .replaced = library.comm_world,
                 .communicator = created,
                 .replaced_in_fortran = in_fortran(world()),
                 .in_fortran = in_fortran(created),
                 .mixes_windows = library_mixes_windows()};
    free_at_finalise();
}

}  // namespace

void end_mixed_window(Handle comm) {
    int rank = 0;
    library.comm_rank(in_place_of(comm), &rank);
    if (rank == 0) {
        std::fputs(
            "waywiser: MPICH 4.0 mixes up the memory of windows whose ranks are not in the launcher's order, and this "
            "program makes one; run it without another order of its ranks, or with a newer MPICH\n",
            stderr);
        next_function<int (*)(Handle, int)>("PMPI_Abort")(world(), 1);
    }
    library.barrier(in_place_of(comm));  // Waits until the job has ended.
}

void rank_anew() {
    const char* path = std::getenv(kVariable);
    if (is_checked || path == nullptr || *path == '\0') return;
    is_checked = true;
    profile::identify_library();
    int new_rank = 0;
    if (!library.complete) {
        keep_order("the MPI library is of no family that Waywiser knows");
    } else if (!was_spawned() && find_new_rank(path, &new_rank)) {
        replace_world(new_rank);
    }
    unsetenv(kVariable);
    profile::leave_preload_list();
}

}  // namespace waywiser::rerank

namespace waywiser::profile {

void something_was_unloaded() {}

}  // namespace waywiser::profile

/// The communicator that replaces MPI_COMM_WORLD. The profiler calls this function when MPI_Init has succeeded.
extern "C" [[gnu::visibility("default")]] waywiser::profile::Handle waywiser_world() {
    using namespace waywiser::rerank;
    rank_anew();
    return new_world.communicator;
}
