#include "profile/library.hpp"

#include <dlfcn.h>
#include <link.h>

#include <cstring>
#include <initializer_list>

namespace waywiser::profile {

constinit Library library;

namespace {

/// A library that MPI symbols can come from although the profiler is not before it in the global
/// scope: Python opens its MPI modules, and with them libmpi, with RTLD_LOCAL.
int find_private_mpi(dl_phdr_info* info, std::size_t, void* found) {
    const char* path = info->dlpi_name;
    const char* slash = path == nullptr ? nullptr : std::strrchr(path, '/');
    const char* file = slash == nullptr ? path : slash + 1;
    if (file == nullptr || std::strncmp(file, "libmpi", 6) != 0) return 0;
    void* handle = dlopen(path, RTLD_LAZY | RTLD_NOLOAD);
    if (handle == nullptr) return 0;
    if (dlsym(handle, "PMPI_Init") == nullptr) {
        dlclose(handle);
        return 0;
    }
    *static_cast<void**>(found) = handle;
    return 1;
}

template <class Function>
bool take(Function& function, const char* name) {
    function = reinterpret_cast<Function>(next_definition(name));
    return function != nullptr;
}

constexpr Constants kOpenMpi{.proc_null = -2,
                             .root = -4,
                             .in_place = 1,
                             .topology_graph = 2,
                             .topology_cart = 1,
                             .message_no_proc = 0,
                             .no_op = 0,
                             .int_handles = false};
constexpr Constants kMpich{.proc_null = -1,
                           .root = -3,
                           .in_place = -1,
                           .topology_graph = 1,
                           .topology_cart = 2,
                           .message_no_proc = 0x6c000000,
                           .no_op = 0x5800000e,
                           .int_handles = true};
constexpr Constants kStandard{.proc_null = -3,
                              .root = -4,
                              .in_place = 1,
                              .topology_graph = 212,
                              .topology_cart = 211,
                              .message_no_proc = 0x129,
                              .no_op = 0x3d,
                              .int_handles = false};

constexpr std::uintptr_t kMpichCommWorld = 0x44000000;
constexpr std::uintptr_t kStandardCommWorld = 0x101;

/// MPI-5.0, section 20.4: a library that offers the standard ABI answers with its version.
bool speaks_standard_abi() {
    int (*version)(int*, int*) = nullptr;
    int major = -1;
    int minor = -1;
    return take(version, "PMPI_Abi_get_version") && version(&major, &minor) == 0 && major > 0;
}

bool says_mpich(const char* library_version) {
    for (const char* name : {"MPICH", "Intel(R) MPI", "MVAPICH", "ParaStation"}) {
        if (std::strstr(library_version, name) != nullptr) return true;
    }
    return false;
}

void identify_family(const char* library_version) {
    if (void* world = variable("ompi_mpi_comm_world")) {
        library.abi = state::Abi::openmpi;
        library.constants = kOpenMpi;
        library.constants.message_no_proc = reinterpret_cast<std::uintptr_t>(variable("ompi_message_no_proc"));
        library.constants.no_op = reinterpret_cast<std::uintptr_t>(variable("ompi_mpi_op_no_op"));
        library.comm_world = reinterpret_cast<std::uintptr_t>(world);
    } else if (speaks_standard_abi()) {
        library.abi = state::Abi::standard;
        library.constants = kStandard;
        library.comm_world = kStandardCommWorld;
    } else if (says_mpich(library_version)) {
        library.abi = state::Abi::mpich;
        library.constants = kMpich;
        library.comm_world = kMpichCommWorld;
    }
}

bool take_functions() {
    take(library.graph_neighbors, "PMPI_Graph_neighbors");
    take(library.dist_graph_neighbors, "PMPI_Dist_graph_neighbors");
    take(library.comm_get_name, "PMPI_Comm_get_name");
    take(library.type_size_x, "PMPI_Type_size_x");
    take(library.graph_neighbors_count, "PMPI_Graph_neighbors_count");
    take(library.dist_graph_neighbors_count, "PMPI_Dist_graph_neighbors_count");
    return take(library.type_size, "PMPI_Type_size") && take(library.comm_rank, "PMPI_Comm_rank") &&
           take(library.comm_size, "PMPI_Comm_size") && take(library.comm_remote_size, "PMPI_Comm_remote_size") &&
           take(library.comm_test_inter, "PMPI_Comm_test_inter") && take(library.comm_group, "PMPI_Comm_group") &&
           take(library.comm_remote_group, "PMPI_Comm_remote_group") &&
           take(library.group_translate_ranks, "PMPI_Group_translate_ranks") &&
           take(library.group_free, "PMPI_Group_free") && take(library.topo_test, "PMPI_Topo_test") &&
           take(library.cartdim_get, "PMPI_Cartdim_get") && take(library.cart_get, "PMPI_Cart_get") &&
           take(library.cart_shift, "PMPI_Cart_shift");
}

}  // namespace

void* next_definition(const char* name) {
    if (void* symbol = dlsym(RTLD_NEXT, name)) return symbol;
    static constinit void* private_mpi = nullptr;
    if (private_mpi == nullptr) dl_iterate_phdr(find_private_mpi, static_cast<void*>(&private_mpi));
    return private_mpi == nullptr ? nullptr : dlsym(private_mpi, name);
}

void* variable(const char* name) {
    void* symbol = dlsym(RTLD_DEFAULT, name);
    return symbol != nullptr ? symbol : next_definition(name);
}

bool library_version(char (&text)[kLibraryVersionBytes]) {
    int (*get)(char*, int*) = nullptr;
    int length = 0;
    text[0] = '\0';
    return take(get, "PMPI_Get_library_version") && get(text, &length) == 0;
}

bool identify_library(const char* version, int* rank, int* size) {
    take(library.barrier, "PMPI_Barrier");
    identify_family(version);
    if (library.abi == state::Abi::unknown || !take_functions()) return false;
    const auto world = reinterpret_cast<Handle>(library.comm_world);
    if (library.comm_rank(world, rank) != 0 || library.comm_size(world, size) != 0) return false;
    library.world_rank = *rank;
    library.world_size = *size;
    Handle group = nullptr;
    if (library.comm_group(world, &group) != 0) return false;
    library.world_group = group;
    return true;
}

}  // namespace waywiser::profile
