/// Small numbers for active requests and for messages that a matched probe has found.
///
/// A number is the smallest that is free, so that a loop uses the same ones each time. Libraries return the same handle
/// for all operations that complete immediately. Such requests are distinguished by where the program stores them. If
/// the program has moved them, they are matched in the order in which they were made.
#pragma once

#include <cstdint>

#include "profile/messages/carried.hpp"
#include "profile/preload/library.hpp"
#include "trace/records/action.hpp"

namespace waywiser::profile {

/// Traits of a request, as bits.
enum : std::uint8_t {
    kPersistent = 1,
    kAnySource = 2,  ///< a receive from any source
    kAnyTag = 4,
    kStarted = 8,  ///< a persistent request that awaits its completion
    kCancelled = 16,
};

/// Requests as arguments of a call, in C or in Fortran.
struct RequestArray {
    Handles handles;
    std::uint32_t handle_bytes;  ///< size of a handle in the program's memory
    std::int32_t count;

    /// Address of a handle in the program's memory.
    [[nodiscard]] const void* place(std::int32_t i) const {
        return static_cast<const char*>(handles.array) + static_cast<std::size_t>(i) * handle_bytes;
    }
};

/// Requests of a call from C.
inline RequestArray c_requests(const void* requests, int count = 1) {
    return {.handles = requests, .handle_bytes = library.constants.int_handles ? 4U : 8U, .count = count};
}

/// A request's number, or trace::kNone or trace::kUnknown.
struct RequestSlot {
    std::int32_t number;
    std::uint8_t traits;

    /// True if the request awaits its completion.
    [[nodiscard]] bool is_active() const {
        return number != trace::kNone && ((traits & kPersistent) == 0 || (traits & kStarted) != 0);
    }
};

/// True for MPI_REQUEST_NULL, MPI_MESSAGE_NULL and MPI_MESSAGE_NO_PROC.
[[nodiscard]] bool is_no_request(Handle handle);

/// Registers a request that a call has made.
/// \param request_array    array of one request
/// \param traits  bits of the enumeration above
/// \return its number; trace::kNone if the library made none, trace::kUnknown without memory
[[nodiscard]] std::int32_t open_slot(const RequestArray& request_array, unsigned traits);

/// Finds the numbers of requests.
/// \param slots  array with room for all of them
void find_slots(const RequestArray& requests, RequestSlot* slots);

/// Marks a started request as complete, which frees its number unless it is persistent.
void complete_slot(const RequestSlot& slot);

/// Frees the number of a freed request or a received message.
void free_slot(const RequestSlot& slot);

/// Sets a trait of requests, after they were started or cancelled.
void mark_slots(const RequestSlot* slots, int n, std::uint8_t trait);

/// A counter that changes whenever a handle may have got another number.
extern std::uint64_t slots_version;

}  // namespace waywiser::profile
