/// What surrounds the calls that begin and end MPI and those after which handles are void, for the
/// wrappers in both languages: `forward` makes the library's call and returns its error code.
#pragma once

#include "profile/recorder.hpp"
#include "profile/requests.hpp"

namespace waywiser::profile {

/// MPI_Init has returned well: from now on there are ranks, and handles can be read.
void initialised(const Call& call);

/// MPI_Finalize has returned.
void finalised(const Call& call);

/// MPI_Abort is about to end the process.
void aborting();

template <class Forward>
[[gnu::always_inline]] inline int initialise(Call& call, Forward&& forward) {
    const int result = forward();
    call.end();
    if (call.outermost() && result == 0) initialised(call);
    call.record();
    return result;
}

template <class Forward>
[[gnu::always_inline]] inline int finalise(Call& call, Forward&& forward) {
    if (call.outermost()) leave_phases(call.begin_ticks());
    const int result = forward();
    call.end();
    call.record();
    if (call.outermost()) finalised(call);
    return result;
}

template <class Forward>
[[gnu::always_inline]] inline int abort(Call& call, Forward&& forward) {
    call.end();  // it does not return
    call.record();
    aborting();
    return forward();
}

template <class Forward>
[[gnu::always_inline]] inline int free_communicator(Call& call, Forward&& forward) {
    forget_communicators();
    const int result = forward();
    call.end();
    call.record();
    return result;
}

template <class Forward>
[[gnu::always_inline]] inline int start(Call& call, Handles request, Forward&& forward) {
    const int result = forward();
    call.end();
    call.record(call.wants_payload(result) ? remembered(request[0]) : StartedPayload{});
    return result;
}

template <class Forward>
[[gnu::always_inline]] inline int start_all(Call& call, int count, Handles requests, Forward&& forward) {
    const int result = forward();
    call.end();
    Payload payload;
    if (call.wants_payload(result)) {
        // Their times are not known one by one.
        payload = started(count, requests, [&](const StartedPayload& one) { count_started(call.thread(), one, {}); });
    }
    call.record(payload);
    return result;
}

template <class Forward>
[[gnu::always_inline]] inline int free_request(Call& call, Handle request, Forward&& forward) {
    if (library.ready()) forget_request(request);  // before the handle is overwritten
    const int result = forward();
    call.end();
    call.record();
    return result;
}

template <class Forward>
[[gnu::always_inline]] inline int control(Call& call, int level, Forward&& forward) {
    const int result = forward();
    call.end();
    call.record();
    if (call.outermost() && library.ready()) enter_phase(level, call.end_ticks());
    return result;
}

}  // namespace waywiser::profile
