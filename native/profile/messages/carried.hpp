/// Payload and destinations of MPI calls, and the building blocks of payload.hpp.
#pragma once

#include "profile/preload/library.hpp"
#include "trace/records/state.hpp"

namespace waywiser::profile {

/// An array of handles in C's layout, unless `read` specifies another.
struct Handles {
    const void* array = nullptr;
    Handle (*read)(const void* array, long i) = [](const void* handles, long i) { return library.at(handles, i); };

    constexpr Handles() = default;
    constexpr Handles(const void* handles) : array(handles) {}
    constexpr Handles(const void* handles, Handle (*in_fortran)(const void*, long))
        : array(handles), read(in_fortran) {}

    Handle operator[](long i) const { return read(array, i); }
};

/// The payload of a call, and the destination of a message. The struct is small, so that it lives in registers.
struct Payload {
    std::uint64_t sent = 0;
    std::uint64_t posted = 0;
    bool to_one = false;  ///< the payload is a message to `destination`, a rank of `comm`
    int destination = -1;
    Handle comm = nullptr;
};

/// The bytes of a collective for each destination, if its arguments specify them.
struct Shares {
    enum class To : unsigned char { nobody, ranks, neighbours };

    To to = To::nobody;
    bool wide = false;             ///< counts are MPI_Count
    const void* counts = nullptr;  ///< one per destination; null: `count` for all
    long count = 0;
    Handles datatypes = nullptr;  ///< one per destination; null: `datatype` for all
    Handle datatype = nullptr;
};

struct CollectivePayload {
    std::uint64_t sent = 0;
    std::uint64_t posted = 0;
    Handle comm = nullptr;
    int root = -1;  ///< -1 if the collective has no root
    Shares shares = {};
};

namespace payload {

/// Size of a datatype whose size does not fit into an int [bytes]; 0 if it has none.
[[gnu::cold, gnu::noinline]] inline std::uint64_t large_size(Handle datatype) {
    long size = 0;
    const bool known = library.type_size_x != nullptr && library.type_size_x(datatype, &size) == 0 && size >= 0;
    return known ? static_cast<std::uint64_t>(size) : 0;
}

/// \return payload of `count` elements [bytes]
inline std::uint64_t bytes(long count, Handle datatype) {
    if (count <= 0) return 0;
    int size = 0;
    const bool fits = library.type_size(datatype, &size) == 0 && size >= 0;
    return static_cast<std::uint64_t>(count) *
           (__builtin_expect(fits, 1) ? static_cast<std::uint64_t>(size) : large_size(datatype));
}

inline bool in_place(const void* buffer) {
    return reinterpret_cast<std::intptr_t>(buffer) == library.constants.in_place;
}

inline bool nobody(int rank) { return rank == library.constants.proc_null; }

inline bool is_intercommunicator(Handle comm) {
    int inter = 0;
    return library.comm_test_inter(comm, &inter) == 0 && inter != 0;
}

inline int rank_in(Handle comm) {
    int rank = 0;
    return library.comm_rank(comm, &rank) == 0 ? rank : 0;
}

/// Number of processes that a collective on `comm` exchanges data with: the remote group's for an
/// intercommunicator.
inline int peers(Handle comm) {
    int size = 0;
    const auto ask = is_intercommunicator(comm) ? library.comm_remote_size : library.comm_size;
    return ask(comm, &size) == 0 ? size : 0;
}

inline int local_size(Handle comm) {
    int size = 0;
    return library.comm_size(comm, &size) == 0 ? size : 0;
}

/// A rank's role in a rooted collective. On an intercommunicator the root passes MPI_ROOT, its group's other ranks
/// MPI_PROC_NULL, and the remote group the root's rank.
struct Role {
    bool root;
    bool leaf;
};

inline Role role(int root, Handle comm) {
    if (root == library.constants.root) return {.root = true, .leaf = false};
    if (nobody(root)) return {.root = false, .leaf = false};
    if (is_intercommunicator(comm)) return {.root = false, .leaf = true};
    return {.root = rank_in(comm) == root, .leaf = true};
}

template <class Count>
std::uint64_t sum(const Count* counts, int n, Handle datatype) {
    long total = 0;
    for (int i = 0; i < n; ++i) total += static_cast<long>(counts[i]);
    return bytes(total, datatype);
}

template <class Count>
std::uint64_t sum_of_types(const Count* counts, Handles datatypes, int n) {
    std::uint64_t total = 0;
    for (int i = 0; i < n; ++i) total += bytes(static_cast<long>(counts[i]), datatypes[i]);
    return total;
}

/// The root's value in records, which does not depend on the library's values of MPI_ROOT and MPI_PROC_NULL.
inline int named_root(int root) {
    if (root >= 0) return root;
    return static_cast<int>(root == library.constants.root ? state::kOwnGroupsRoot : state::kNoRoot);
}

/// A collective's payload on the calling rank.
inline CollectivePayload on(Handle comm, Payload carried, int root = static_cast<int>(state::kNoRoot),
                            const Shares& shares = {}) {
    return {.sent = carried.sent, .posted = carried.posted, .comm = comm, .root = named_root(root), .shares = shares};
}

template <class Count>
Shares shares(Shares::To to, const Count* counts, Handle datatype, Handles datatypes = {}) {
    return {.to = to,
            .wide = sizeof(Count) == sizeof(long),
            .counts = counts,
            .datatypes = datatypes,
            .datatype = datatype};
}

/// Bytes for destination `i`.
inline std::uint64_t share(const Shares& all, int i) {
    long count = all.count;
    if (all.counts != nullptr) {
        count = all.wide ? static_cast<const long*>(all.counts)[i] : static_cast<const int*>(all.counts)[i];
    }
    return bytes(count, all.datatypes.array == nullptr ? all.datatype : all.datatypes[i]);
}

}  // namespace payload
}  // namespace waywiser::profile
