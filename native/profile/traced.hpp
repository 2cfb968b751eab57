/// What each form of MPI call says in a trace of itself, from its own arguments; traced_calls.txt
/// names the forms.
///
/// Function, caller and bytes are not here: these are the same for all forms, and payload.hpp's. The
/// functions are called after the library has accepted the arguments.
#pragma once

#include "profile/payload.hpp"
#include "profile/request_slots.hpp"
#include "profile/traced_objects.hpp"
#include "trace/recording.hpp"

namespace waywiser::profile::traced {

using state::TraceKey;
using trace::Action;

/// What an MPI library's negative rank stands for.
[[gnu::cold, gnu::noinline]] inline std::int32_t no_rank(int rank) {
    if (rank == library.constants.proc_null) return trace::kNobody;
    if (rank == library.constants.any_source) return trace::kAny;
    return rank == library.constants.root ? trace::kOwnGroup : trace::kNone;
}

inline std::int32_t rank_as_given(int rank) { return __builtin_expect(rank >= 0, 1) ? rank : no_rank(rank); }

/// MPI_ANY_TAG is the only negative one.
inline std::int32_t tag_as_given(int tag) { return tag >= 0 ? tag : trace::kAny; }

inline TraceKey plain(Action action, Handle object) {
    TraceKey key;
    key.action = static_cast<std::uint8_t>(action);
    key.object = object_of(object);
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

/// The same of a call that makes a request.
inline TraceKey with_request(TraceKey key, Handle request) {
    key.request = new_slot(request);
    return key;
}

inline TraceKey send(int dest, int tag, Handle comm) { return sending(Action::send, dest, tag, comm); }

inline TraceKey send(int dest, int tag, Handle comm, Handle request) {
    return with_request(send(dest, tag, comm), request);
}

inline TraceKey prepare_send(int dest, int tag, Handle comm, Handle request) {
    return with_request(sending(Action::prepare_send, dest, tag, comm), request);
}

inline TraceKey receive(int source, int tag, Handle comm) { return receiving(Action::receive, source, tag, comm); }

inline TraceKey receive(int source, int tag, Handle comm, Handle request) {
    return with_request(receive(source, tag, comm), request);
}

inline TraceKey prepare_receive(int source, int tag, Handle comm, Handle request) {
    return with_request(receiving(Action::prepare_receive, source, tag, comm), request);
}

inline TraceKey matched_receive(Handle message) {
    TraceKey key;
    key.action = static_cast<std::uint8_t>(Action::receive);
    key.message = slot_of(message);
    return key;
}

inline TraceKey matched_receive(Handle message, Handle request) {
    return with_request(matched_receive(message), request);
}

inline TraceKey send_receive(int dest, int sendtag, int source, int recvtag, Handle comm) {
    TraceKey key = sending(Action::send_receive, dest, sendtag, comm);
    key.source = rank_as_given(source);
    key.source_tag = tag_as_given(recvtag);
    return key;
}

inline TraceKey send_receive(int dest, int sendtag, int source, int recvtag, Handle comm, Handle request) {
    return with_request(send_receive(dest, sendtag, source, recvtag, comm), request);
}

inline TraceKey probe(int source, int tag, Handle comm) { return receiving(Action::probe, source, tag, comm); }

inline TraceKey collective(Handle comm) { return plain(Action::collective, comm); }

inline TraceKey collective(Handle comm, Handle request) { return with_request(collective(comm), request); }

inline TraceKey rooted(int root, Handle comm) {
    TraceKey key = plain(Action::collective, comm);
    key.peer = rank_as_given(root);
    return key;
}

inline TraceKey rooted(int root, Handle comm, Handle request) { return with_request(rooted(root, comm), request); }

inline TraceKey prepare_collective(Handle comm, Handle request) {
    return with_request(plain(Action::prepare_collective, comm), request);
}

inline TraceKey prepare_rooted(int root, Handle comm, Handle request) {
    TraceKey key = rooted(root, comm, request);
    key.action = static_cast<std::uint8_t>(Action::prepare_collective);
    return key;
}

inline TraceKey make_communicator(Handle comm, Handle made) {
    TraceKey key = plain(Action::make_object, comm);
    key.created = new_communicator(comm, made);
    return key;
}

inline TraceKey make_communicator(Handle comm, Handle made, Handle request) {
    return with_request(make_communicator(comm, made), request);
}

/// Without a communicator before it: from a group, or from a connection.
inline TraceKey make_first_communicator(Handle made) {
    TraceKey key;
    key.action = static_cast<std::uint8_t>(Action::make_object);
    key.created = new_communicator(nullptr, made);
    return key;
}

inline TraceKey make_rooted_communicator(int root, Handle comm, Handle made) {
    TraceKey key = make_communicator(comm, made);
    key.peer = rank_as_given(root);
    return key;
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

inline TraceKey free_object(Handle object) { return plain(Action::free_object, object); }

inline TraceKey rma(int target_rank, Handle win) {
    TraceKey key = plain(Action::rma, win);
    key.peer = rank_as_given(target_rank);
    return key;
}

inline TraceKey rma(int target_rank, Handle win, Handle request) {
    return with_request(rma(target_rank, win), request);
}

inline TraceKey rma_sync(Handle win) { return plain(Action::rma_sync, win); }

inline TraceKey rma_sync(int rank, Handle win) {
    TraceKey key = rma_sync(win);
    key.peer = rank_as_given(rank);
    return key;
}

/// `detail` is 1 for an exclusive lock, 2 for a shared one.
inline TraceKey lock(int lock_type, int rank, Handle win) {
    TraceKey key = rma_sync(rank, win);
    key.detail = lock_type == library.constants.lock_exclusive ? 1 : 2;
    return key;
}

inline TraceKey file(Handle fh) { return plain(Action::file, fh); }

inline TraceKey file(Handle fh, Handle request) { return with_request(file(fh), request); }

inline TraceKey file_collective(Handle fh) { return plain(Action::file_collective, fh); }

inline TraceKey file_collective(Handle fh, Handle request) { return with_request(file_collective(fh), request); }

inline TraceKey without_arguments(Action action) {
    TraceKey key;
    key.action = static_cast<std::uint8_t>(action);
    return key;
}

inline TraceKey complete(Handle /*request*/) { return without_arguments(Action::complete); }

inline TraceKey complete(int /*count*/, Handles /*requests*/) { return without_arguments(Action::complete); }

inline TraceKey start(int /*count*/, Handles /*requests*/) { return without_arguments(Action::start); }

inline TraceKey free_request(Handle /*request*/) { return without_arguments(Action::free_request); }

/// Whether requests are complete, without completing them.
inline TraceKey ask(Handle /*request*/) { return {}; }

inline TraceKey ask(int /*count*/, Handles /*requests*/) { return {}; }

inline TraceKey cancel(Handle /*request*/) { return without_arguments(Action::cancel); }

/// One of a partitioned request's parts.
inline TraceKey partition(int partition, Handle /*request*/) {
    TraceKey key;
    key.detail = partition;
    return key;
}

inline TraceKey partition(Handle request, int number) { return partition(number, request); }

inline TraceKey phase(int level) {
    TraceKey key = without_arguments(Action::phase);
    key.detail = level;
    return key;
}

}  // namespace waywiser::profile::traced
