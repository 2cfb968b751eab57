/// The trace key of each form of MPI call, from the call's own arguments; traced_calls.txt names the forms.
///
/// Function, caller and bytes are set elsewhere, because they are the same for all forms (payload.hpp). The functions
/// are called after the library has accepted the arguments.
#pragma once

#include "profile/messages/carried.hpp"
#include "profile/tracing/completion.hpp"
#include "profile/tracing/traced_objects.hpp"
#include "trace/records/recording.hpp"

namespace waywiser::profile::traced {

using state::TraceKey;
using trace::Action;

/// The trace's value for an MPI library's negative rank.
[[gnu::cold, gnu::noinline]] inline std::int32_t no_rank(int rank) {
    if (rank == library.constants.proc_null) return trace::kProcNull;
    if (rank == library.constants.any_source) return trace::kAny;
    return rank == library.constants.root ? trace::kOwnGroup : trace::kNone;
}

inline std::int32_t rank_as_given(int rank) { return __builtin_expect(rank >= 0, 1) ? rank : no_rank(rank); }

/// MPI_ANY_TAG is the only negative tag.
inline std::int32_t tag_as_given(int tag) { return tag >= 0 ? tag : trace::kAny; }

inline TraceKey without_object(Action action) {
    TraceKey key;
    key.action = static_cast<std::uint8_t>(action);
    return key;
}

inline TraceKey plain(Action action, Handle comm) {
    TraceKey key = without_object(action);
    key.object = object_of(comm);
    return key;
}

inline TraceKey sending(Action action, int dest, int tag, Handle comm) {
    TraceKey key = plain(action, comm);
    key.peer = rank_as_given(dest);
    key.tag = tag_as_given(tag);
    return key;
}

inline TraceKey receiving(Action action, int source, int tag, Handle comm) {
    TraceKey key = plain(action, comm);
    key.source = rank_as_given(source);
    key.source_tag = tag_as_given(tag);
    return key;
}

/// Adds to the key the request that the call has made, where its form in traced_calls.txt names one.
/// \param traits  traits of the request (request_slots.hpp)
inline TraceKey with_request(TraceKey key, const RequestArray& created, unsigned traits = 0) {
    key.request = open_slot(created, traits);
    return key;
}

/// The key of a receive or a probe that has found its message.
inline TraceKey matched(TraceKey key, const Match& match) {
    key.matched_source = match.source;
    key.matched_tag = match.tag;
    return key;
}

inline TraceKey send(int dest, int tag, Handle comm) { return sending(Action::send, dest, tag, comm); }

inline TraceKey prepare_send(int dest, int tag, Handle comm) { return sending(Action::prepare_send, dest, tag, comm); }

/// `detail` is the number of partitions, all of which the message needs to be complete.
inline TraceKey prepare_partitioned_send(int partitions, int dest, int tag, Handle comm) {
    TraceKey key = prepare_send(dest, tag, comm);
    key.detail = partitions;
    return key;
}

inline TraceKey receive(int source, int tag, Handle comm) { return receiving(Action::receive, source, tag, comm); }

inline TraceKey prepare_receive(int source, int tag, Handle comm) {
    return receiving(Action::prepare_receive, source, tag, comm);
}

/// \param message  handle before the call
inline TraceKey matched_receive(Handle message) {
    TraceKey key = without_object(Action::receive);
    const RequestArray request = c_requests(static_cast<const void*>(&message));
    RequestSlot slot{};
    find_slots(request, &slot);
    free_slot(slot);
    key.message = slot.number;
    return key;
}

inline TraceKey send_receive(int dest, int sendtag, int source, int recvtag, Handle comm) {
    TraceKey key = sending(Action::send_receive, dest, sendtag, comm);
    key.source = rank_as_given(source);
    key.source_tag = tag_as_given(recvtag);
    return key;
}

inline TraceKey probe(int source, int tag, Handle comm) { return receiving(Action::probe, source, tag, comm); }

inline TraceKey collective(Handle comm) { return plain(Action::collective, comm); }

inline TraceKey rooted(int root, Handle comm) {
    TraceKey key = plain(Action::collective, comm);
    key.peer = rank_as_given(root);
    return key;
}

inline TraceKey prepare_collective(Handle comm) { return plain(Action::prepare_collective, comm); }

inline TraceKey prepare_rooted(int root, Handle comm) {
    TraceKey key = prepare_collective(comm);
    key.peer = rank_as_given(root);
    return key;
}

/// Reports a new communicator to the listener if all its processes belong to this job.
inline std::int32_t announced(std::int32_t number, Handle created) {
    if (__builtin_expect(listener != nullptr, 0) && number != trace::kNone) listener->communicator(number, created);
    return number;
}

inline TraceKey make_communicator(Handle comm, Handle created) {
    TraceKey key = plain(Action::make_object, comm);
    key.created = announced(new_communicator(comm, created), created);
    return key;
}

/// `counts` are the ranks of the neighbours, and the first `detail` of them are sources.
inline TraceKey make_topology(Handle comm, Handle created) {
    TraceKey key = make_communicator(comm, created);
    if (key.created >= 0) key.counts = list_of_neighbours(created, &key.detail);
    return key;
}

inline TraceKey duplicate(Handle comm, Handle created) {
    TraceKey key = plain(Action::make_object, comm);
    key.created = new_duplicate(comm, created);
    return key;
}

/// The key of a call that makes a communicator of processes that may have shared none before.
inline TraceKey make_of_groups(Handle comm, Handle created) {
    TraceKey key = plain(Action::make_object, comm);
    key.created = announced(new_communicator(nullptr, created), created);
    return key;
}

inline TraceKey make_of_groups(Handle created) {
    TraceKey key = without_object(Action::make_object);
    key.created = new_communicator(nullptr, created);
    return key;
}

/// The other processes may belong to another job.
inline TraceKey make_of_groups(int root, Handle comm, Handle created) {
    TraceKey key = plain(Action::make_object, comm);
    key.created = new_communicator(nullptr, created);
    key.peer = rank_as_given(root);
    return key;
}

inline TraceKey name_communicator(Handle comm) {
    name_object(comm);
    return plain(Action::none, comm);
}

inline TraceKey make_window(Handle comm, Handle win) {
    TraceKey key = plain(Action::make_object, comm);
    key.created = new_window(comm, win);
    return key;
}

inline TraceKey make_file(Handle comm, Handle fh) {
    TraceKey key = plain(Action::make_object, comm);
    key.created = new_file(comm, fh);
    return key;
}

/// \param number  number of the freed object
inline TraceKey free_object(std::int32_t number) {
    TraceKey key = without_object(Action::free_object);
    key.object = number;
    return key;
}

inline TraceKey of_window(Action action, Handle win) {
    TraceKey key = without_object(action);
    key.object = window_of(win);
    return key;
}

inline TraceKey rma(int target_rank, Handle win) {
    TraceKey key = of_window(Action::rma, win);
    key.peer = rank_as_given(target_rank);
    return key;
}

inline TraceKey rma_sync(Handle win) { return of_window(Action::rma_sync, win); }

inline TraceKey rma_sync(int rank, Handle win) {
    TraceKey key = rma_sync(win);
    key.peer = rank_as_given(rank);
    return key;
}

/// `counts` are the ranks of the group in the window's group.
inline TraceKey rma_epoch(Handle group, Handle win) {
    TraceKey key = rma_sync(win);
    key.counts = list_of_group(group, win);
    return key;
}

/// `detail` is 1 for an exclusive lock, 2 for a shared one.
inline TraceKey lock(int lock_type, int rank, Handle win) {
    TraceKey key = rma_sync(rank, win);
    key.detail = lock_type == library.constants.lock_exclusive ? 1 : 2;
    return key;
}

inline TraceKey of_file(Action action, Handle fh) {
    TraceKey key = without_object(action);
    key.object = file_of(fh);
    return key;
}

inline TraceKey file(Handle fh) { return of_file(Action::file, fh); }

inline TraceKey file_collective(Handle fh) { return of_file(Action::file_collective, fh); }

/// A request that the program completes itself.
inline TraceKey make_request() { return without_object(Action::none); }

inline TraceKey complete(const Completion& completion) { return completion.key(Action::complete); }

/// Tests requests without completing them.
inline TraceKey ask(const Completion& completion) { return completion.key(Action::none); }

inline TraceKey cancel(const Completion& completion) { return completion.key(Action::cancel); }

/// A call on one part of a partitioned request.
inline TraceKey partition(const Completion& completion, int number) {
    TraceKey key = ask(completion);
    key.detail = number;
    return key;
}

/// Several parts: `detail` is their number.
inline TraceKey partition_list(const Completion& completion, int length) { return partition(completion, length); }

inline TraceKey partition_range(const Completion& completion, int low, int high) {
    return partition(completion, high - low + 1);
}

/// \param outermost  false for a nested call
inline TraceKey start(const RequestArray& requests, bool outermost) {
    Completion completion(requests, outermost);
    completion.mark(kStarted);
    return completion.key(Action::start);
}

inline TraceKey free_request(const RequestSlot& freed) {
    TraceKey key = without_object(Action::free_request);
    const std::int64_t number = freed.number;
    key.requests = list_of(&number, 1);
    free_slot(freed);
    return key;
}

inline TraceKey phase(int level) {
    TraceKey key = without_object(Action::phase);
    key.detail = level;
    return key;
}

}  // namespace waywiser::profile::traced
