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

/// What a collective sends to each destination, where its arguments say so.
struct Shares {
    enum class To : unsigned char { nobody, ranks, neighbours };

    To to = To::nobody;
    bool wide = false;             ///< counts are MPI_Count
    const void* counts = nullptr;  ///< one for each destination; null: `count` for all
    long count = 0;
    const void* datatypes = nullptr;  ///< one for each destination; null: `datatype` for all
    Handle datatype = nullptr;
};

struct Spread;

struct Payload {
    enum class Pattern : unsigned char { local, one, collective };

    std::uint64_t sent = 0;
    std::uint64_t posted = 0;
    Pattern pattern = Pattern::local;
    bool pending = false;   ///< the call asked whether something is complete, and it was not
    int rank = -1;          ///< of `comm`: the destination of a message, the root of a collective
    Handle comm = nullptr;  ///< null where `communicator` is known
    Shares shares = {};

    // Of a persistent request, whose communicator may be freed before it is started:
    const state::CommunicatorRecord* communicator = nullptr;
    Spread* spread = nullptr;
    unsigned function = 0;
};

namespace payload {

/// \return size of `count` elements [bytes]
inline std::uint64_t bytes(long count, Handle datatype) {
    if (count <= 0) return 0;
    long large = 0;
    int small = 0;
    if (library.type_size(datatype, &small) == 0 && small >= 0) {
        return static_cast<std::uint64_t>(count) * static_cast<std::uint64_t>(small);
    }
    const bool known = library.type_size_x != nullptr && library.type_size_x(datatype, &large) == 0 && large >= 0;
    return known ? static_cast<std::uint64_t>(count) * static_cast<std::uint64_t>(large) : 0;
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
std::uint64_t sum_of_types(const Count* counts, const void* datatypes, int n) {
    std::uint64_t total = 0;
    for (int i = 0; i < n; ++i) total += bytes(static_cast<long>(counts[i]), library.at(datatypes, i));
    return total;
}

/// A collective with what it carries on the calling rank.
inline Payload on(Handle comm, Payload payload, int root = -1) {
    payload.pattern = Payload::Pattern::collective;
    payload.comm = comm;
    payload.rank = root;
    return payload;
}

template <class Count>
Shares shares(Shares::To to, const Count* counts, Handle datatype, const void* datatypes = nullptr) {
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
    return bytes(count, all.datatypes == nullptr ? all.datatype : library.at(all.datatypes, i));
}

/// MPI_Test and its kind.
inline Payload poll(const void* flag) { return {.pending = *static_cast<const int*>(flag) == 0}; }

inline Payload barrier(Handle comm) { return on(comm, {}); }

inline Payload send(long count, Handle datatype, int dest, Handle comm) {
    if (nobody(dest)) return {};
    return {.sent = bytes(count, datatype), .pattern = Payload::Pattern::one, .rank = dest, .comm = comm};
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
    payload.posted = receive(recvcount, recvtype, source).posted;
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

inline Payload bcast(long count, Handle datatype, int root, Handle comm) {
    const Role mine = role(root, comm);
    if (mine.root) return on(comm, {.sent = bytes(count, datatype)}, root);
    return on(comm, {.posted = mine.leaf ? bytes(count, datatype) : 0}, root);
}

inline Payload gather(const void* sendbuf, long sendcount, Handle sendtype, long recvcount, Handle recvtype, int root,
                      Handle comm) {
    const Role mine = role(root, comm);
    Payload payload;
    if (mine.leaf)
        payload.sent = mine.root && in_place(sendbuf) ? bytes(recvcount, recvtype) : bytes(sendcount, sendtype);
    if (mine.root) payload.posted = bytes(recvcount * peers(comm), recvtype);
    return on(comm, payload, root);
}

template <class Count>
Payload gatherv(const void* sendbuf, long sendcount, Handle sendtype, const Count* recvcounts, Handle recvtype,
                int root, Handle comm) {
    const Role mine = role(root, comm);
    Payload payload;
    if (mine.leaf) {
        payload.sent = mine.root && in_place(sendbuf) ? bytes(static_cast<long>(recvcounts[rank_in(comm)]), recvtype)
                                                      : bytes(sendcount, sendtype);
    }
    if (mine.root) payload.posted = sum(recvcounts, peers(comm), recvtype);
    return on(comm, payload, root);
}

inline Payload scatter(long sendcount, Handle sendtype, const void* recvbuf, long recvcount, Handle recvtype, int root,
                       Handle comm) {
    const Role mine = role(root, comm);
    Payload payload;
    if (mine.root) payload.sent = bytes(sendcount * peers(comm), sendtype);
    if (mine.leaf) {
        payload.posted = mine.root && in_place(recvbuf) ? bytes(sendcount, sendtype) : bytes(recvcount, recvtype);
    }
    return on(comm, payload, root);
}

template <class Count>
Payload scatterv(const Count* sendcounts, Handle sendtype, const void* recvbuf, long recvcount, Handle recvtype,
                 int root, Handle comm) {
    const Role mine = role(root, comm);
    Payload payload;
    if (mine.root) {
        payload.sent = sum(sendcounts, peers(comm), sendtype);
        payload.shares = shares(Shares::To::ranks, sendcounts, sendtype);
    }
    if (mine.leaf) {
        payload.posted = mine.root && in_place(recvbuf) ? bytes(static_cast<long>(sendcounts[rank_in(comm)]), sendtype)
                                                        : bytes(recvcount, recvtype);
    }
    return on(comm, payload, root);
}

inline Payload allgather(const void* sendbuf, long sendcount, Handle sendtype, long recvcount, Handle recvtype,
                         Handle comm) {
    return on(comm, {.sent = in_place(sendbuf) ? bytes(recvcount, recvtype) : bytes(sendcount, sendtype),
                     .posted = bytes(recvcount * peers(comm), recvtype)});
}

template <class Count>
Payload allgatherv(const void* sendbuf, long sendcount, Handle sendtype, const Count* recvcounts, Handle recvtype,
                   Handle comm) {
    return on(comm, {.sent = in_place(sendbuf) ? bytes(static_cast<long>(recvcounts[rank_in(comm)]), recvtype)
                                               : bytes(sendcount, sendtype),
                     .posted = sum(recvcounts, peers(comm), recvtype)});
}

inline Payload alltoall(const void* sendbuf, long sendcount, Handle sendtype, long recvcount, Handle recvtype,
                        Handle comm) {
    const std::uint64_t posted = bytes(recvcount * peers(comm), recvtype);
    return on(comm, {.sent = in_place(sendbuf) ? posted : bytes(sendcount * peers(comm), sendtype), .posted = posted});
}

template <class Count>
Payload alltoallv(const void* sendbuf, const Count* sendcounts, Handle sendtype, const Count* recvcounts,
                  Handle recvtype, Handle comm) {
    const std::uint64_t posted = sum(recvcounts, peers(comm), recvtype);
    if (in_place(sendbuf)) {
        return on(comm, {.sent = posted, .posted = posted, .shares = shares(Shares::To::ranks, recvcounts, recvtype)});
    }
    return on(comm, {.sent = sum(sendcounts, peers(comm), sendtype),
                     .posted = posted,
                     .shares = shares(Shares::To::ranks, sendcounts, sendtype)});
}

template <class Count>
Payload alltoallw(const void* sendbuf, const Count* sendcounts, const void* sendtypes, const Count* recvcounts,
                  const void* recvtypes, Handle comm) {
    const std::uint64_t posted = sum_of_types(recvcounts, recvtypes, peers(comm));
    if (in_place(sendbuf)) {
        return on(
            comm,
            {.sent = posted, .posted = posted, .shares = shares(Shares::To::ranks, recvcounts, nullptr, recvtypes)});
    }
    return on(comm, {.sent = sum_of_types(sendcounts, sendtypes, peers(comm)),
                     .posted = posted,
                     .shares = shares(Shares::To::ranks, sendcounts, nullptr, sendtypes)});
}

inline Payload reduce(long count, Handle datatype, int root, Handle comm) {
    const Role mine = role(root, comm);
    return on(comm, {.sent = mine.leaf ? bytes(count, datatype) : 0, .posted = mine.root ? bytes(count, datatype) : 0},
              root);
}

inline Payload allreduce(long count, Handle datatype, Handle comm) {
    const std::uint64_t n = bytes(count, datatype);
    return on(comm, {.sent = n, .posted = n});
}

template <class Count>
Payload reduce_scatter(const Count* recvcounts, Handle datatype, Handle comm) {
    return on(comm, {.sent = sum(recvcounts, local_size(comm), datatype),
                     .posted = bytes(static_cast<long>(recvcounts[rank_in(comm)]), datatype)});
}

inline Payload reduce_scatter_block(long recvcount, Handle datatype, Handle comm) {
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
std::uint64_t sum_of_types(const Count* counts, const void* datatypes, int n, const Neighbours& around) {
    std::uint64_t total = 0;
    for (int i = 0; i < n; ++i) {
        if (around.there(i)) total += bytes(static_cast<long>(counts[i]), library.at(datatypes, i));
    }
    return total;
}

inline Payload neighbor_allgather(long sendcount, Handle sendtype, long recvcount, Handle recvtype, Handle comm) {
    const Neighbours around = neighbours(comm);
    return on(comm, {.sent = around.count(around.out) > 0 ? bytes(sendcount, sendtype) : 0,
                     .posted = bytes(recvcount * around.count(around.in), recvtype),
                     .shares = {.to = Shares::To::neighbours, .count = sendcount, .datatype = sendtype}});
}

template <class Count>
Payload neighbor_allgatherv(long sendcount, Handle sendtype, const Count* recvcounts, Handle recvtype, Handle comm) {
    const Neighbours around = neighbours(comm);
    return on(comm, {.sent = around.count(around.out) > 0 ? bytes(sendcount, sendtype) : 0,
                     .posted = sum(recvcounts, around.in, around, recvtype),
                     .shares = {.to = Shares::To::neighbours, .count = sendcount, .datatype = sendtype}});
}

inline Payload neighbor_alltoall(long sendcount, Handle sendtype, long recvcount, Handle recvtype, Handle comm) {
    const Neighbours around = neighbours(comm);
    return on(comm, {.sent = bytes(sendcount * around.count(around.out), sendtype),
                     .posted = bytes(recvcount * around.count(around.in), recvtype),
                     .shares = {.to = Shares::To::neighbours, .count = sendcount, .datatype = sendtype}});
}

template <class Count>
Payload neighbor_alltoallv(const Count* sendcounts, Handle sendtype, const Count* recvcounts, Handle recvtype,
                           Handle comm) {
    const Neighbours around = neighbours(comm);
    return on(comm, {.sent = sum(sendcounts, around.out, around, sendtype),
                     .posted = sum(recvcounts, around.in, around, recvtype),
                     .shares = shares(Shares::To::neighbours, sendcounts, sendtype)});
}

template <class Count>
Payload neighbor_alltoallw(const Count* sendcounts, const void* sendtypes, const Count* recvcounts,
                           const void* recvtypes, Handle comm) {
    const Neighbours around = neighbours(comm);
    return on(comm, {.sent = sum_of_types(sendcounts, sendtypes, around.out, around),
                     .posted = sum_of_types(recvcounts, recvtypes, around.in, around),
                     .shares = shares(Shares::To::neighbours, sendcounts, nullptr, sendtypes)});
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
