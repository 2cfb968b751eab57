#include "profile/preload/library.hpp"

#include "profile/preload/objects.hpp"

namespace waywiser::profile {

constinit Library library;

namespace {

constexpr Constants kOpenMpi{.proc_null = -2,
                             .root = -4,
                             .lock_exclusive = 1,
                             .in_place = 1,
                             .topology_graph = 2,
                             .topology_cart = 1,
                             .any_source = -1,
                             .any_tag = -1,
                             .thread_multiple = 3,
                             .status_ignore = 0,
                             .status_bytes = 24,
                             .source_in_status = 0,
                             .comm_type_shared = 0,
                             .appnum = 4,
                             .int_handles = false};
constexpr Constants kMpich{.proc_null = -1,
                           .root = -3,
                           .lock_exclusive = 234,
                           .in_place = -1,
                           .topology_graph = 1,
                           .topology_cart = 2,
                           .any_source = -2,
                           .any_tag = -1,
                           .thread_multiple = 3,
                           .status_ignore = 1,
                           .status_bytes = 20,
                           .source_in_status = 8,
                           .comm_type_shared = 1,
                           .appnum = 0x6440000d,
                           .int_handles = true,
                           .message_no_proc = 0x6c000000,
                           .message_null = 0x2c000000,
                           .request_null = 0x2c000000,
                           .comm_self = 0x44000001,
                           .comm_null = 0x04000000,
                           .no_op = 0x5800000e,
                           .byte = 0x4c00010d,
                           .info_null = 0x1c000000};
constexpr Constants kStandard{.proc_null = -3,
                              .root = -4,
                              .lock_exclusive = 301,
                              .in_place = 1,
                              .topology_graph = 212,
                              .topology_cart = 211,
                              .any_source = -1,
                              .any_tag = -2,
                              .thread_multiple = 4096,
                              .status_ignore = 0,
                              .status_bytes = 32,
                              .source_in_status = 0,
                              .comm_type_shared = 221,
                              .appnum = 505,
                              .int_handles = false,
                              .message_no_proc = 0x129,
                              .message_null = 0x128,
                              .request_null = 0x180,
                              .comm_self = 0x102,
                              .comm_null = 0x100,
                              .no_op = 0x3d,
                              .byte = 0x247,
                              .info_null = 0x130};

constexpr std::uintptr_t kMpichCommWorld = 0x44000000;
constexpr std::uintptr_t kStandardCommWorld = 0x101;

/// MPI-5.0, section 20.4: a library that offers the standard ABI answers with its version.
bool speaks_standard_abi() {
    int (*version)(int*, int*) = nullptr;
    int major = -1;
    int minor = -1;
    return take(version, "PMPI_Abi_get_version") && version(&major, &minor) == 0 && major > 0;
}

/// True if the library defines the function that MPI_DUP_FN is in the mpi.h of all of MPICH's family.
bool has_mpich_abi() { return next_definition("MPIR_Dup_fn") != nullptr; }

void identify_family() {
    if (void* world = variable("ompi_mpi_comm_world")) {
        library.abi = state::Abi::openmpi;
        library.constants = kOpenMpi;
        library.constants.message_no_proc = reinterpret_cast<std::uintptr_t>(variable("ompi_message_no_proc"));
        library.constants.message_null = reinterpret_cast<std::uintptr_t>(variable("ompi_message_null"));
        library.constants.request_null = reinterpret_cast<std::uintptr_t>(variable("ompi_request_null"));
        library.constants.comm_self = reinterpret_cast<std::uintptr_t>(variable("ompi_mpi_comm_self"));
        library.constants.comm_null = reinterpret_cast<std::uintptr_t>(variable("ompi_mpi_comm_null"));
        library.constants.no_op = reinterpret_cast<std::uintptr_t>(variable("ompi_mpi_op_no_op"));
        library.constants.info_null = reinterpret_cast<std::uintptr_t>(variable("ompi_mpi_info_null"));
        library.constants.byte = reinterpret_cast<std::uintptr_t>(variable("ompi_mpi_byte"));
        library.comm_world = reinterpret_cast<std::uintptr_t>(world);
    } else if (speaks_standard_abi()) {
        library.abi = state::Abi::standard;
        library.constants = kStandard;
        library.comm_world = kStandardCommWorld;
    } else if (has_mpich_abi()) {
        library.abi = state::Abi::mpich;
        library.constants = kMpich;
        library.comm_world = kMpichCommWorld;
    }
}

/// \return false if a function is missing that payloads need
bool take_functions() {
    take(library.graph_neighbors, "PMPI_Graph_neighbors");
    take(library.dist_graph_neighbors, "PMPI_Dist_graph_neighbors");
    take(library.comm_get_name, "PMPI_Comm_get_name");
    take(library.type_size_x, "PMPI_Type_size_x");
    take(library.win_get_group, "PMPI_Win_get_group");
    take(library.query_thread, "PMPI_Query_thread");
    take(library.test_cancelled, "PMPI_Test_cancelled");
    take(library.graph_neighbors_count, "PMPI_Graph_neighbors_count");
    take(library.dist_graph_neighbors_count, "PMPI_Dist_graph_neighbors_count");
    take(library.group_from_session_pset, "PMPI_Group_from_session_pset");
    return take(library.type_size, "PMPI_Type_size") && take(library.comm_rank, "PMPI_Comm_rank") &&
           take(library.comm_size, "PMPI_Comm_size") && take(library.comm_remote_size, "PMPI_Comm_remote_size") &&
           take(library.comm_test_inter, "PMPI_Comm_test_inter") && take(library.comm_group, "PMPI_Comm_group") &&
           take(library.comm_remote_group, "PMPI_Comm_remote_group") &&
           take(library.group_translate_ranks, "PMPI_Group_translate_ranks") &&
           take(library.group_free, "PMPI_Group_free") && take(library.group_rank, "PMPI_Group_rank") &&
           take(library.group_size, "PMPI_Group_size") && take(library.topo_test, "PMPI_Topo_test") &&
           take(library.cartdim_get, "PMPI_Cartdim_get") && take(library.cart_get, "PMPI_Cart_get") &&
           take(library.cart_shift, "PMPI_Cart_shift");
}

}  // namespace

void* next_definition(const char* name) {
    void* definition = nullptr;
    const SymbolName symbol_name(name);
    each_object_after_profiler([&](const Object& object) {
        const ElfW(Sym)* symbol = object.find(symbol_name);
        if (symbol != nullptr) definition = object.address(*symbol);
        return definition != nullptr;
    });
    return definition;
}

void* variable(const char* name) {
    void* address = nullptr;
    const SymbolName symbol_name(name);
    each_object([&](const dl_phdr_info& info) {
        const Object object(info);
        const ElfW(Sym)* symbol = object.find(symbol_name);
        if (symbol != nullptr) address = object.address(*symbol);
        return address != nullptr;
    });
    return address;
}

bool library_version(char (&text)[kLibraryVersionBytes]) {
    int (*get)(char*, int*) = nullptr;
    int length = 0;
    text[0] = '\0';
    return take(get, "PMPI_Get_library_version") && get(text, &length) == 0;
}

void identify_library() {
    take(library.barrier, "PMPI_Barrier");
    identify_family();
    if (library.abi != state::Abi::unknown) library.complete = take_functions();
}

void forget_library_if_gone() {
    const auto current = next_definition("PMPI_Comm_rank");
    if (current != reinterpret_cast<void*>(library.comm_rank)) library = Library{};
}

}  // namespace waywiser::profile
