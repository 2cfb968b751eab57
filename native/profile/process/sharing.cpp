#include "profile/process/sharing.hpp"

#include "profile/preload/library.hpp"
#include "profile/process/world.hpp"

namespace waywiser::profile {
namespace {

int lowest_rank(Handle comm) {
    Handle group = nullptr;
    if (library.comm_group(comm, &group) != 0) return -1;
    const int first = 0;
    int lowest = -1;
    if (library.group_translate_ranks(group, 1, &first, library.world_group, &lowest) != 0) lowest = -1;
    library.group_free(&group);
    return lowest;
}

}  // namespace

int lowest_sharing_memory() {
    using Split = int (*)(Handle, int, int, Handle, Handle*);
    using Free = int (*)(Handle*);
    const auto split = next_function<Split>("PMPI_Comm_split_type");
    const auto free = next_function<Free>("PMPI_Comm_free");
    if (!library.ready() || split == nullptr || free == nullptr) return -1;
    const auto no_info = reinterpret_cast<Handle>(library.constants.info_null);
    Handle comm = nullptr;
    if (split(world_model(), library.constants.comm_type_shared, 0, no_info, &comm) != 0) return -1;
    const int lowest = lowest_rank(comm);
    free(&comm);
    return lowest;
}

}  // namespace waywiser::profile
