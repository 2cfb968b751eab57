/// The payload of each form of MPI call, computed from the call's own arguments.
///
/// `sent` is the outgoing payload. For a collective it is the calling rank's send buffer: the root's in Bcast and
/// Scatter, the sum of counts in the v-variants. `posted` is the payload that was made ready to receive. For
/// MPI_IN_PLACE, the buffer that it stands for counts; MPI_PROC_NULL counts nothing. The functions are called after the
/// library has accepted the arguments. Asking the library for the size of a datatype therefore cannot raise an error
/// that the program did not cause.
#pragma once

#include "profile/messages/carried.hpp"
#include "profile/messages/topology.hpp"

namespace waywiser::profile::payload {

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
    // Most exchanges have equal parts, whose size is queried only once.
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

/// Sum over the neighbours that exist.
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

/// True for MPI_NO_OP, which makes the origin's arguments insignificant: nothing is sent, and the origin's datatype
/// may be MPI_DATATYPE_NULL (MPI-4.1, section 12.3.4).
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

}  // namespace waywiser::profile::payload
