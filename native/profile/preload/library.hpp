/// The MPI library that the program was linked to: which family, its constants, its functions.
///
/// The profiler includes no mpi.h. On the 64-bit ABIs a handle argument occupies one register or stack slot, whether it
/// is an int (MPICH's family) or a pointer (Open MPI, the standard ABI). One set of wrappers therefore serves every
/// library; the differences are here.
#pragma once

#include <cstdint>

#include "trace/records/state.hpp"

namespace waywiser::profile {

/// An MPI handle as an argument; the upper half is undefined where a handle is an int.
using Handle = void*;

/// Address of `name` in the next library after the profiler, including libraries that the program has opened privately
/// (RTLD_LOCAL, as Python opens its modules); null if there is none.
[[nodiscard]] void* next_definition(const char* name);

/// The function of that name and type; null if there is none.
template <class Function>
[[nodiscard]] Function next_function(const char* name) {
    return reinterpret_cast<Function>(next_definition(name));
}

/// Sets `to` to the library's function.
/// \return false if the library has no such function
template <class Function>
bool take(Function& function, const char* name) {
    function = next_function<Function>(name);
    return function != nullptr;
}

/// Address of one of the library's variables. The global definition is used, not the next one: a program that refers to
/// the variable may hold the valid copy (a copy relocation).
[[nodiscard]] void* variable(const char* name);

/// Values that differ between the families (mpi.h of each, and the MPI-5 standard's ABI chapter).
struct Constants {
    int proc_null;
    int root;
    int lock_exclusive;
    std::intptr_t in_place;
    int topology_graph;
    int topology_cart;
    int any_source;
    int any_tag;
    int thread_multiple;
    std::uintptr_t status_ignore;  ///< value for single statuses and for arrays of statuses
    unsigned status_bytes;         ///< size of MPI_Status, in C and in Fortran
    unsigned source_in_status;     ///< bytes before MPI_SOURCE; MPI_TAG follows it
    int comm_type_shared;
    int appnum;  ///< MPI_APPNUM, the key of an attribute
    bool int_handles;
    std::uintptr_t message_no_proc = 0;  ///< handles; Open MPI's are addresses of its variables
    std::uintptr_t message_null = 0;
    std::uintptr_t request_null = 0;
    std::uintptr_t comm_self = 0;
    std::uintptr_t comm_null = 0;
    std::uintptr_t no_op = 0;
    std::uintptr_t byte = 0;
    std::uintptr_t info_null = 0;
};

struct Library {
    state::Abi abi = state::Abi::unknown;
    Constants constants{};
    bool complete = false;        ///< all functions for computing payloads were found
    bool several_threads = true;  ///< several threads may call the library at once
    std::uintptr_t comm_world = 0;
    Handle world_group = nullptr;  ///< managed by world.hpp
    int world_rank = -1;
    int world_size = 0;

    int (*type_size)(Handle, int*) = nullptr;
    int (*type_size_x)(Handle, long*) = nullptr;
    int (*comm_rank)(Handle, int*) = nullptr;
    int (*comm_size)(Handle, int*) = nullptr;
    int (*comm_remote_size)(Handle, int*) = nullptr;
    int (*comm_test_inter)(Handle, int*) = nullptr;
    int (*comm_group)(Handle, Handle*) = nullptr;
    int (*comm_remote_group)(Handle, Handle*) = nullptr;
    int (*group_translate_ranks)(Handle, int, const int*, Handle, int*) = nullptr;
    int (*group_free)(Handle*) = nullptr;
    int (*group_rank)(Handle, int*) = nullptr;
    int (*group_size)(Handle, int*) = nullptr;
    int (*win_get_group)(Handle, Handle*) = nullptr;
    int (*group_from_session_pset)(Handle, const char*, Handle*) = nullptr;
    int (*topo_test)(Handle, int*) = nullptr;
    int (*cartdim_get)(Handle, int*) = nullptr;
    int (*cart_get)(Handle, int, int*, int*, int*) = nullptr;
    int (*graph_neighbors_count)(Handle, int, int*) = nullptr;
    int (*dist_graph_neighbors_count)(Handle, int*, int*, int*) = nullptr;
    int (*cart_shift)(Handle, int, int, int*, int*) = nullptr;
    int (*graph_neighbors)(Handle, int, int, int*) = nullptr;
    int (*dist_graph_neighbors)(Handle, int, int*, int*, int, int*, int*) = nullptr;
    int (*comm_get_name)(Handle, char*, int*) = nullptr;
    int (*barrier)(Handle) = nullptr;
    int (*query_thread)(int*) = nullptr;
    int (*test_cancelled)(const void*, int*) = nullptr;

    /// The bits of a handle that identify it.
    [[nodiscard]] std::uintptr_t key(Handle handle) const {
        const auto bits = reinterpret_cast<std::uintptr_t>(handle);
        return constants.int_handles ? bits & 0xffffffffU : bits;
    }

    /// The i-th handle of an array as the program laid it out.
    [[nodiscard]] Handle at(const void* handles, long i) const {
        if (constants.int_handles) {
            return reinterpret_cast<Handle>(static_cast<std::uintptr_t>(static_cast<const std::uint32_t*>(handles)[i]));
        }
        return static_cast<const Handle*>(handles)[i];
    }

    /// The handle to which a pointer argument points; null for a null pointer.
    [[nodiscard]] Handle first(const void* handles) const { return handles == nullptr ? nullptr : at(handles, 0); }

    /// True once payloads can be computed: the family is known and MPI is initialised.
    [[nodiscard]] bool ready() const { return __atomic_load_n(&world_group, __ATOMIC_ACQUIRE) != nullptr; }
};

/// The process's one MPI library. Filled when MPI_Init or the first MPI_Session_init has returned.
extern Library library;

/// MPI_MAX_OBJECT_NAME of every family, with its terminator (MPI-4.1, annex A.1.1; Open MPI: 64).
inline constexpr int kObjectNameBytes = 256;

/// MPICH's MPI_MAX_LIBRARY_VERSION_STRING, the largest of all families [bytes].
inline constexpr int kLibraryVersionBytes = 8192;

/// The text of MPI_Get_library_version; empty and false if it is not available.
bool library_version(char (&text)[kLibraryVersionBytes]);

/// Recognises the family by the symbols that the library exports, and takes its functions.
void identify_library();

/// If the library was unloaded, its functions are invalid: discards them, so that a later library is identified anew.
void forget_library_if_gone();

}  // namespace waywiser::profile
