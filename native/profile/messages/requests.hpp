/// Payloads of persistent requests, from MPI_*_init, where the arguments are, to MPI_Start, where
/// they count.
#pragma once

#include "profile/calls/recorder.hpp"

namespace waywiser::profile {

/// Remembers the payload of a request that an MPI_*_init has made.
/// \param id       of that call
void remember_request(Id id, Handle request, const Payload& payload);
void remember_request(Id id, Handle request, const CollectivePayload& payload);

/// The payload remembered for a request; empty for one that is unknown.
[[nodiscard]] StartedPayload remembered(Handle request);

/// Forgets a request that the program is about to free.
void forget_request(Handle request);

/// Adds the bytes of `n` requests that are started together into one sum; their messages and
/// collectives go one by one through `each`.
template <class Each>
Payload started(int n, Handles requests, Each&& each) {
    Payload sum;
    for (int i = 0; i < n; ++i) {
        const StartedPayload one = remembered(requests[i]);
        sum.sent += one.sent;
        sum.posted += one.posted;
        each(one);
    }
    return sum;
}

}  // namespace waywiser::profile
