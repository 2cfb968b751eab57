/// Work around calls that initialise and finalise MPI, and around calls that invalidate handles, for the wrappers in
/// both languages. Each function's `forward` makes the library's call and returns its error code.
#pragma once

#include "profile/calls/recorder.hpp"
#include "profile/messages/requests.hpp"
#include "profile/process/world.hpp"
#include "profile/tracing/traced.hpp"

namespace waywiser::profile {

/// Called when MPI_Init or MPI_Session_init has succeeded: from now on there are ranks, and handles can be read.
/// \param by  what initialised MPI (world.hpp)
void initialised(const Call& call, Handle by);

/// Called when MPI_Init has succeeded: starts the listener of the program's calls.
void start_listener();

/// Called before MPI_Finalize or MPI_Session_finalize.
void finalising(const Call& call, Handle by);

/// Called after MPI_Finalize or MPI_Session_finalize.
void finalised(const Call& call, Handle by, int result);

/// Called before MPI_Abort ends the process.
void aborting();

template <class Forward>
[[gnu::always_inline]] inline int initialise(Call& call, Forward&& forward) {
    const int result = forward();
    call.end();
    if (call.of_program() && result == 0) {
        identify_library();
        take_new_world();
        initialised(call, world_model());
    }
    call.record();
    // The listener starts before the call is traced, so that its start does not count as computation.
    if (call.of_program() && result == 0 && listener != nullptr) start_listener();
    call.trace(Payload{}, [] { return traced::without_object(trace::Action::initialise); });
    return result;
}

/// \param session  returns the new session's handle, once the library is known
template <class Session, class Forward>
[[gnu::always_inline]] inline int initialise_session(Call& call, Session&& session, Forward&& forward) {
    const int result = forward();
    call.end();
    if (call.of_program() && result == 0) {
        if (!library.complete) identify_library();
        initialised(call, session());
    }
    call.record();
    call.trace(Payload{}, [] { return traced::without_object(trace::Action::initialise); });
    return result;
}

template <class Forward>
[[gnu::always_inline]] inline int finalise(Call& call, Handle by, Forward&& forward) {
    if (listener != nullptr && call.outermost()) listener->close(call.begin_ticks());
    if (call.of_program()) finalising(call, by);
    const int result = forward();
    call.end();
    call.record();
    call.trace(Payload{}, [] { return traced::without_object(trace::Action::finalise); });
    if (call.of_program()) finalised(call, by, result);
    return result;
}

template <class Forward>
[[gnu::always_inline]] inline int abort(Call& call, Forward&& forward) {
    call.end();  // MPI_Abort does not return.
    call.record();
    call.trace();
    aborting();
    return forward();
}

/// \param comm  its value before the call
template <class Forward>
[[gnu::always_inline]] inline int free_communicator(Call& call, Handle comm, Forward&& forward) {
    forget_communicators();
    const std::int32_t freed = call.is_traced() ? forget_object(comm) : trace::kUnknown;
    const int result = forward();
    call.end();
    call.record();
    call.trace(Payload{}, [&] { return traced::free_object(freed); });
    return result;
}

template <class Forward>
[[gnu::always_inline]] inline int start(Call& call, const RequestArray& request, Forward&& forward) {
    const int result = forward();
    call.end();
    if (call.needs_payload(result)) {
        const StartedPayload payload = remembered(request.handles[0]);
        call.record(payload);
        call.trace(payload, [&] { return traced::start(request, call.outermost()); });
    } else {
        call.record(StartedPayload{});
        call.trace();
    }
    return result;
}

template <class Forward>
[[gnu::always_inline]] inline int start_all(Call& call, const RequestArray& requests, Forward&& forward) {
    const int result = forward();
    call.end();
    if (call.needs_payload(result)) {
        // The requests' individual times are unknown.
        const Payload payload = started(requests.count, requests.handles, [&](const StartedPayload& of_request) {
            count_started(call.thread(), of_request, {});
        });
        call.record(payload);
        call.trace(payload, [&] { return traced::start(requests, call.outermost()); });
    } else {
        call.record_failed();
    }
    return result;
}

template <class Forward>
[[gnu::always_inline]] inline int free_request(Call& call, const RequestArray& request, Forward&& forward) {
    // The request is forgotten before its handle is overwritten.
    if (library.ready()) forget_request(request.handles[0]);
    RequestSlot freed{.number = trace::kUnknown, .traits = 0};
    if (call.is_traced() && library.ready()) find_slots(request, &freed);
    const int result = forward();
    call.end();
    call.record();
    if (call.needs_payload(result)) {
        call.trace(Payload{}, [&] { return traced::free_request(freed); });
    } else {
        call.trace();
    }
    return result;
}

template <class Forward>
[[gnu::always_inline]] inline int control(Call& call, int level, Forward&& forward) {
    const int result = forward();
    call.end();
    call.record();
    call.trace(Payload{}, [&] { return traced::phase(level); });
    if (call.outermost() && library.ready()) enter_phase(level, call.end_ticks());
    return result;
}

}  // namespace waywiser::profile
