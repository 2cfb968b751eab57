#include "profile/process/world.hpp"

#include <climits>
#include <cstdlib>

#include "profile/preload/slow_path.hpp"

namespace waywiser::profile {
namespace {

// The lock also keeps the group's session from being closed while another thread translates ranks.
constinit pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
constinit Handle* opened = nullptr;
constinit std::size_t opened_count = 0;
constinit std::size_t opened_room = 0;
constinit Handle source = nullptr;  ///< origin of the group

bool make_room() {
    if (opened_count < opened_room) return true;
    const std::size_t room = opened_room == 0 ? 512 : 2 * opened_room;
    if (!grow(opened, opened_room, room)) return false;
    opened_room = room;
    return true;
}

/// Removes a handle from the list. Handles of an unknown family cannot be distinguished, so any of them is removed.
void forget(Handle by) {
    if (opened_count == 0) return;
    std::size_t i = 0;
    while (i < opened_count && opened[i] != by) ++i;
    if (i == opened_count && library.abi != state::Abi::unknown) return;
    --opened_count;
    if (i < opened_count) opened[i] = opened[opened_count];
}

/// \return null if the library cannot report it
Handle group_of(Handle by) {
    Handle group = nullptr;
    if (by == world_model()) return library.comm_group(by, &group) == 0 ? group : nullptr;
    const auto ask = library.group_from_session_pset;
    return ask != nullptr && ask(by, "mpi://WORLD", &group) == 0 ? group : nullptr;
}

/// Makes the world's group from an open session or the world. The former group is freed afterwards, because other
/// threads may still use it.
void renew_group() {
    Handle former = library.world_group;
    source = opened_count > 0 ? opened[0] : nullptr;
    __atomic_store_n(&library.world_group, opened_count > 0 && library.complete ? group_of(source) : nullptr,
                     __ATOMIC_RELEASE);
    if (former != nullptr) library.group_free(&former);
}

/// Variables that launchers set for their processes: Open MPI's, MPICH's and Intel's (PMI), MVAPICH's, Flux, Slurm. The
/// launcher's own variables precede the job's, which a launcher within the job inherits.
constexpr struct {
    const char* rank;
    const char* size;
} kLauncherVariables[] = {{.rank = "OMPI_COMM_WORLD_RANK", .size = "OMPI_COMM_WORLD_SIZE"},
                          {.rank = "MV2_COMM_WORLD_RANK", .size = "MV2_COMM_WORLD_SIZE"},
                          {.rank = "PMI_RANK", .size = "PMI_SIZE"},
                          {.rank = "FLUX_TASK_RANK", .size = "FLUX_JOB_SIZE"},
                          {.rank = "SLURM_PROCID", .size = "SLURM_NTASKS"}};

/// \return the variable's value; -1 if it is unset or not a number
int number_in(const char* variable) {
    const char* text = std::getenv(variable);
    if (text == nullptr || *text == '\0') return -1;
    char* end = nullptr;
    const long number = std::strtol(text, &end, 10);
    return *end == '\0' && number >= 0 && number <= INT_MAX ? static_cast<int>(number) : -1;
}

bool launcher_says(int* rank, int* size) {
    for (const auto& variables : kLauncherVariables) {
        *rank = number_in(variables.rank);
        *size = number_in(variables.size);
        if (*rank >= 0 && *rank < *size) return true;
    }
    return false;
}

}  // namespace

void take_new_world() {
    const auto new_world = reinterpret_cast<Handle (*)()>(variable("waywiser_world"));
    Handle world = new_world == nullptr ? nullptr : new_world();
    if (world != nullptr) library.comm_world = library.key(world);
}

bool open_world(Handle by) {
    const Locked locked(lock);
    if (!make_room()) return false;
    opened[opened_count++] = by;
    if (library.world_group == nullptr) renew_group();
    return opened_count == 1;
}

void close_world(Handle by) {
    const Locked locked(lock);
    forget(by);
    // Callbacks of MPI_Finalize may still send, so the group remains until MPI has ended.
    const bool ends_with_mpi = opened_count == 0 && by == world_model();
    if (by == source && !ends_with_mpi) renew_group();
}

void drop_world() {
    const Locked locked(lock);
    if (opened_count == 0) __atomic_store_n(&library.world_group, nullptr, __ATOMIC_RELAXED);
}

bool world_is_open() {
    const Locked locked(lock);
    return opened_count > 0;
}

bool rank_in_world(int* rank, int* size) {
    const Locked locked(lock);
    Handle group = library.world_group;
    if (group == nullptr) return launcher_says(rank, size);
    return library.group_rank(group, rank) == 0 && library.group_size(group, size) == 0;
}

bool ranks_in_world(Handle group, int n, const int* ranks, int* world_ranks) {
    const Locked locked(lock);
    Handle world = library.world_group;
    return world != nullptr && library.group_translate_ranks(group, n, ranks, world, world_ranks) == 0;
}

}  // namespace waywiser::profile
