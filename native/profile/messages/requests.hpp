/// Payloads of persistent requests, recorded at MPI_*_init, which has the arguments, and counted at MPI_Start.
#pragma once

#include "profile/calls/recorder.hpp"

namespace waywiser::profile {

/// Remembers the payload of a request that an MPI_*_init has made.
/// \param id       identifies that call
void remember_request(Id id, Handle request, const Payload& payload);
void remember_request(Id id, Handle request, const CollectivePayload& payload);

/// The payload remembered for a request; empty for one that is unknown.
[[nodiscard]] StartedPayload remembered(Handle request);

/// Forgets a request that the program is about to free.
void forget_request(Handle request);

/// Sums the bytes of `n` requests that are started together, and passes each message and collective to `each`.
template <class Each>
Payload started(int n, Handles requests, Each&& each) {
    Payload sum;
    for (int i = 0; i < n; ++i) {
        const StartedPayload payload = remembered(requests[i]);
        sum.sent += payload.sent;
        sum.posted += payload.posted;
        each(payload);
    }
    return sum;
}

}  // namespace waywiser::profile
