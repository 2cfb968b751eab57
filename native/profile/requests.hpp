/// Payloads of persistent requests, from MPI_*_init, where the arguments are, to MPI_Start, where
/// they count.
#pragma once

#include "profile/recorder.hpp"

namespace waywiser::profile {

/// Remembers the payload of a request that an MPI_*_init has made.
/// \param id       of that call
/// \param request  as the program passed it: address of a handle of the library's width
void remember_request(Id id, const void* request, Payload payload);

/// The payload remembered for a request; empty for one that is unknown.
[[nodiscard]] Payload remembered(const void* request);

/// Forgets a request that the program is about to free.
void forget_request(const void* request);

/// Adds the payloads of `n` requests that are started together: bytes into one sum, messages and
/// collectives one by one through `each`.
template <class Each>
Payload started(int n, const void* requests, Each&& each) {
    const std::size_t width = library.constants.int_handles ? sizeof(std::uint32_t) : sizeof(Handle);
    Payload sum;
    for (int i = 0; i < n; ++i) {
        const Payload one = remembered(static_cast<const char*>(requests) + static_cast<std::size_t>(i) * width);
        sum.sent += one.sent;
        sum.posted += one.posted;
        if (one.pattern != Payload::Pattern::local) each(one);
    }
    return sum;
}

}  // namespace waywiser::profile
