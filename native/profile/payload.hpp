/// What each form of MPI call carries, computed from the call's own arguments.
///
/// `sent` is the outgoing payload (for a collective the calling rank's send buffer: the root's in
/// Bcast and Scatter, the sum of counts in the v-variants), `posted` what was made ready to
/// receive. MPI_IN_PLACE counts the buffer that it stands for, MPI_PROC_NULL nothing. The
/// functions are called after the library has accepted the arguments, so asking the library for
/// the size of a datatype cannot raise an error that the program did not cause.
#pragma once

#include "profile/library.hpp"
#include "profile/topology.hpp"

namespace waywiser::profile {

/// An array of handles, as C lays it out unless `read` says otherwise.
struct Handles {
    const void* array = nullptr;
    Handle (*read)(const void* array, long i) = [](const void* handles, long i) { return library.at(handles, i); };

    constexpr Handles() = default;
    constexpr Handles(const void* handles) : array(handles) {}
    constexpr Handles(const void* handles, Handle (*in_fortran)(const void*, long))
        : array(handles), read(in_fortran) {}

    Handle operator[](long i) const { return read(array, i); }
};

/// What a call carries; of a message, to whom. Small, so that it lives in registers.
struct Payload {
    std::uint64_t sent = 0;
    std::uint64_t posted = 0;
    bool to_one = false;  ///< it is a message to `destination`, a rank of `comm`
    int destination = -1;
    Handle comm = nullptr;
};

/// What a collective sends to each destination, where its arguments say so.
struct Shares {
    enum class To : unsigned char { nobody, ranks, neighbours };

    To to = To::nobody;
    bool wide = false;             ///< counts are MPI_Count
    const void* counts = nullptr;  ///< one for each destination; null: `count` for all
    long count = 0;
    Handles datatypes = nullptr;  ///< one for each destination; null: `datatype` for all
    Handle datatype = nullptr;
};

struct CollectivePayload {
    std::uint64_t sent = 0;
    std::uint64_t posted = 0;
    Handle comm = nullptr;
    int root = -1;  ///< -1 where the collective has none
    Shares shares = {};
};

namespace payload {

/// Size of a datatype whose size is no int [bytes]; 0 if it has none.
[[gnu::cold, gnu::noinline]] inline std::uint64_t large_size(Handle datatype) {
    long size = 0;
    const bool known = library.type_size_x != nullptr && library.type_size_x(datatype, &size) == 0 && size >= 0;
    return known ? static_cast<std::uint64_t>(size) : 0;
}

/// \return size of `count` elements [bytes]
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

/// What a rank does in a rooted collective. On an intercommunicator the root passes MPI_ROOT, its
/// group's other ranks MPI_PROC_NULL, and the remote group the root's rank.
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

/// The root as records have it, whatever numbers the library gives to MPI_ROOT and MPI_PROC_NULL.
inline int named_root(int root) {
    if (root >= 0) return root;
    return static_cast<int>(root == library.constants.root ? state::kOwnGroupsRoot : state::kNoRoot);
}

/// A collective with what it carries on the calling rank.
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

inline CollectivePayload barrier(Handle comm) { return on(comm, {}); }

inline Payload send(long count, Handle datatype, int dest, Handle comm) {
    if (nobody(dest)) return {};
    return {.sent = bytes(count, datatype), .to_one = true, .destination = dest, .comm = comm};
}

inline Payload receive(long count, Handle datatype, int source) {
    return {.posted = nobody(source) ? 0 : bytes(count, datatype)};
}

inline Payload matched_receive(Handle message, long count, Handle datatype) {
    return {.posted = library.key(message) == library.constants.message_no_proc ? 0 : bytes(count, datatype)};
}

inline Payload sendrecv(long sendcount, Handle sendtype, int dest, long recvcount, Handle recvtype, int source,
                        Handle comm) {
    Payload payload = send(sendcount, sendtype, dest, comm);
    // An exchange of equal parts, as most are, asks for their size once.
    const bool equal = recvcount == sendcount && recvtype == sendtype && !nobody(source) && !nobody(dest);
    payload.posted = equal ? payload.sent : receive(recvcount, recvtype, source).posted;
    return payload;
}

inline Payload sendrecv_replace(long count, Handle datatype, int dest, int source, Handle comm) {
    return sendrecv(count, datatype, dest, count, datatype, source, comm);
}

inline Payload partitioned_send(int partitions, long count, Handle datatype, int dest, Handle comm) {
    return send(partitions * count, datatype, dest, comm);
}

inline Payload partitioned_receive(int partitions, long count, Handle datatype, int source) {
    return receive(partitions * count, datatype, source);
}

inline CollectivePayload bcast(long count, Handle datatype, int root, Handle comm) {
    const Role mine = role(root, comm);
    if (mine.root) return on(comm, {.sent = bytes(count, datatype)}, root);
    return on(comm, {.posted = mine.leaf ? bytes(count, datatype) : 0}, root);
}

inline CollectivePayload gather(const void* sendbuf, long sendcount, Handle sendtype, long recvcount, Handle recvtype,
                                int root, Handle comm) {
    const Role mine = role(root, comm);
    Payload payload;
    if (mine.leaf)
        payload.sent = mine.root && in_place(sendbuf) ? bytes(recvcount, recvtype) : bytes(sendcount, sendtype);
    if (mine.root) payload.posted = bytes(recvcount * peers(comm), recvtype);
    return on(comm, payload, root);
}

template <class Count>
CollectivePayload gatherv(const void* sendbuf, long sendcount, Handle sendtype, const Count* recvcounts,
                          Handle recvtype, int root, Handle comm) {
    const Role mine = role(root, comm);
    Payload payload;
    if (mine.leaf) {
        payload.sent = mine.root && in_place(sendbuf) ? bytes(static_cast<long>(recvcounts[rank_in(comm)]), recvtype)
                                                      : bytes(sendcount, sendtype);
    }
    if (mine.root) payload.posted = sum(recvcounts, peers(comm), recvtype);
    return on(comm, payload, root);
}

inline CollectivePayload scatter(long sendcount, Handle sendtype, const void* recvbuf, long recvcount, Handle recvtype,
                                 int root, Handle comm) {
    const Role mine = role(root, comm);
    Payload payload;
    if (mine.root) payload.sent = bytes(sendcount * peers(comm), sendtype);
    if (mine.leaf) {
        payload.posted = mine.root && in_place(recvbuf) ? bytes(sendcount, sendtype) : bytes(recvcount, recvtype);
    }
    return on(comm, payload, root);
}

template <class Count>
CollectivePayload scatterv(const Count* sendcounts, Handle sendtype, const void* recvbuf, long recvcount,
                           Handle recvtype, int root, Handle comm) {
    const Role mine = role(root, comm);
    Payload payload;
    if (mine.root) payload.sent = sum(sendcounts, peers(comm), sendtype);
    if (mine.leaf) {
        payload.posted = mine.root && in_place(recvbuf) ? bytes(static_cast<long>(sendcounts[rank_in(comm)]), sendtype)
                                                        : bytes(recvcount, recvtype);
    }
    return on(comm, payload, root, mine.root ? shares(Shares::To::ranks, sendcounts, sendtype) : Shares{});
}

inline CollectivePayload allgather(const void* sendbuf, long sendcount, Handle sendtype, long recvcount,
                                   Handle recvtype, Handle comm) {
    return on(comm, {.sent = in_place(sendbuf) ? bytes(recvcount, recvtype) : bytes(sendcount, sendtype),
                     .posted = bytes(recvcount * peers(comm), recvtype)});
}

template <class Count>
CollectivePayload allgatherv(const void* sendbuf, long sendcount, Handle sendtype, const Count* recvcounts,
                             Handle recvtype, Handle comm) {
    return on(comm, {.sent = in_place(sendbuf) ? bytes(static_cast<long>(recvcounts[rank_in(comm)]), recvtype)
                                               : bytes(sendcount, sendtype),
                     .posted = sum(recvcounts, peers(comm), recvtype)});
}

inline CollectivePayload alltoall(const void* sendbuf, long sendcount, Handle sendtype, long recvcount, Handle recvtype,
                                  Handle comm) {
    const std::uint64_t posted = bytes(recvcount * peers(comm), recvtype);
    return on(comm, {.sent = in_place(sendbuf) ? posted : bytes(sendcount * peers(comm), sendtype), .posted = posted});
}

template <class Count>
CollectivePayload alltoallv(const void* sendbuf, const Count* sendcounts, Handle sendtype, const Count* recvcounts,
                            Handle recvtype, Handle comm) {
    const std::uint64_t posted = sum(recvcounts, peers(comm), recvtype);
    if (in_place(sendbuf)) {
        return on(comm, {.sent = posted, .posted = posted}, -1, shares(Shares::To::ranks, recvcounts, recvtype));
    }
    return on(comm, {.sent = sum(sendcounts, peers(comm), sendtype), .posted = posted}, -1,
              shares(Shares::To::ranks, sendcounts, sendtype));
}

template <class Count>
CollectivePayload alltoallw(const void* sendbuf, const Count* sendcounts, Handles sendtypes, const Count* recvcounts,
                            Handles recvtypes, Handle comm) {
    const std::uint64_t posted = sum_of_types(recvcounts, recvtypes, peers(comm));
    if (in_place(sendbuf)) {
        return on(comm, {.sent = posted, .posted = posted}, -1,
                  shares(Shares::To::ranks, recvcounts, nullptr, recvtypes));
    }
    return on(comm, {.sent = sum_of_types(sendcounts, sendtypes, peers(comm)), .posted = posted}, -1,
              shares(Shares::To::ranks, sendcounts, nullptr, sendtypes));
}

inline CollectivePayload reduce(long count, Handle datatype, int root, Handle comm) {
    const Role mine = role(root, comm);
    return on(comm, {.sent = mine.leaf ? bytes(count, datatype) : 0, .posted = mine.root ? bytes(count, datatype) : 0},
              root);
}

inline CollectivePayload allreduce(long count, Handle datatype, Handle comm) {
    const std::uint64_t n = bytes(count, datatype);
    return on(comm, {.sent = n, .posted = n});
}

template <class Count>
CollectivePayload reduce_scatter(const Count* recvcounts, Handle datatype, Handle comm) {
    return on(comm, {.sent = sum(recvcounts, local_size(comm), datatype),
                     .posted = bytes(static_cast<long>(recvcounts[rank_in(comm)]), datatype)});
}

inline CollectivePayload reduce_scatter_block(long recvcount, Handle datatype, Handle comm) {
    return on(comm, {.sent = bytes(recvcount * local_size(comm), datatype), .posted = bytes(recvcount, datatype)});
}

/// Sum over the neighbours that are there.
template <class Count>
std::uint64_t sum(const Count* counts, int n, const Neighbours& around, Handle datatype) {
    long total = 0;
    for (int i = 0; i < n; ++i) total += around.there(i) ? static_cast<long>(counts[i]) : 0;
    return bytes(total, datatype);
}

template <class Count>
std::uint64_t sum_of_types(const Count* counts, Handles datatypes, int n, const Neighbours& around) {
    std::uint64_t total = 0;
    for (int i = 0; i < n; ++i) {
        if (around.there(i)) total += bytes(static_cast<long>(counts[i]), datatypes[i]);
    }
    return total;
}

inline CollectivePayload neighbor_allgather(long sendcount, Handle sendtype, long recvcount, Handle recvtype,
                                            Handle comm) {
    const Neighbours around = neighbours(comm);
    return on(comm,
              {.sent = around.count(around.out) > 0 ? bytes(sendcount, sendtype) : 0,
               .posted = bytes(recvcount * around.count(around.in), recvtype)},
              -1, Shares{.to = Shares::To::neighbours, .count = sendcount, .datatype = sendtype});
}

template <class Count>
CollectivePayload neighbor_allgatherv(long sendcount, Handle sendtype, const Count* recvcounts, Handle recvtype,
                                      Handle comm) {
    const Neighbours around = neighbours(comm);
    return on(comm,
              {.sent = around.count(around.out) > 0 ? bytes(sendcount, sendtype) : 0,
               .posted = sum(recvcounts, around.in, around, recvtype)},
              -1, Shares{.to = Shares::To::neighbours, .count = sendcount, .datatype = sendtype});
}

inline CollectivePayload neighbor_alltoall(long sendcount, Handle sendtype, long recvcount, Handle recvtype,
                                           Handle comm) {
    const Neighbours around = neighbours(comm);
    return on(comm,
              {.sent = bytes(sendcount * around.count(around.out), sendtype),
               .posted = bytes(recvcount * around.count(around.in), recvtype)},
              -1, Shares{.to = Shares::To::neighbours, .count = sendcount, .datatype = sendtype});
}

template <class Count>
CollectivePayload neighbor_alltoallv(const Count* sendcounts, Handle sendtype, const Count* recvcounts, Handle recvtype,
                                     Handle comm) {
    const Neighbours around = neighbours(comm);
    return on(
        comm,
        {.sent = sum(sendcounts, around.out, around, sendtype), .posted = sum(recvcounts, around.in, around, recvtype)},
        -1, shares(Shares::To::neighbours, sendcounts, sendtype));
}

template <class Count>
CollectivePayload neighbor_alltoallw(const Count* sendcounts, Handles sendtypes, const Count* recvcounts,
                                     Handles recvtypes, Handle comm) {
    const Neighbours around = neighbours(comm);
    return on(comm,
              {.sent = sum_of_types(sendcounts, sendtypes, around.out, around),
               .posted = sum_of_types(recvcounts, recvtypes, around.in, around)},
              -1, shares(Shares::To::neighbours, sendcounts, nullptr, sendtypes));
}

inline Payload put(long origin_count, Handle origin_datatype, int target_rank) {
    return {.sent = nobody(target_rank) ? 0 : bytes(origin_count, origin_datatype)};
}

inline Payload get(long origin_count, Handle origin_datatype, int target_rank) {
    return {.posted = nobody(target_rank) ? 0 : bytes(origin_count, origin_datatype)};
}

/// With MPI_NO_OP the origin's arguments are not significant: nothing is sent, and its datatype may
/// be none (MPI-4.1, section 12.3.4).
inline bool sends_nothing(Handle op) { return library.key(op) == library.constants.no_op; }

inline Payload get_accumulate(long origin_count, Handle origin_datatype, long result_count, Handle result_datatype,
                              int target_rank, Handle op) {
    return {.sent = sends_nothing(op) ? 0 : put(origin_count, origin_datatype, target_rank).sent,
            .posted = get(result_count, result_datatype, target_rank).posted};
}

inline Payload compare_and_swap(Handle datatype, int target_rank) {
    return {.sent = put(1, datatype, target_rank).sent, .posted = get(1, datatype, target_rank).posted};
}

inline Payload fetch_and_op(Handle datatype, int target_rank, Handle op) {
    Payload payload = compare_and_swap(datatype, target_rank);
    if (sends_nothing(op)) payload.sent = 0;
    return payload;
}

inline Payload write(long count, Handle datatype) { return {.sent = bytes(count, datatype)}; }

inline Payload read(long count, Handle datatype) { return {.posted = bytes(count, datatype)}; }

}  // namespace payload
}  // namespace waywiser::profile
