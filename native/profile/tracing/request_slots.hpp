/// Small numbers for what is under way: requests, and messages that a matched probe has found.
///
/// A number is the smallest that is free, so that a loop uses the same ones each time. Libraries give the same handle
/// to all operations that were complete at once. Such requests are distinguished by where the program keeps them. If
/// the program has moved them, they are taken in the order in which they were made.
#pragma once

#include <cstdint>

#include "profile/messages/carried.hpp"
#include "profile/preload/library.hpp"
#include "trace/records/action.hpp"

namespace waywiser::profile {

/// Traits of a request, as bits.
enum : std::uint8_t {
    kPersistent = 1,
    kAnySource = 2,  ///< it receives, from whoever sends
    kAnyTag = 4,
    kStarted = 8,  ///< a persistent one: it waits for its completion
    kCancelled = 16,
};

/// Requests as a call has them, in C or in Fortran.
struct RequestArray {
    Handles handles;
    std::uint32_t handle_bytes;  ///< of one, as the program keeps them
    std::int32_t count;

    /// The program's location of a handle.
    [[nodiscard]] const void* place(std::int32_t i) const {
        return static_cast<const char*>(handles.array) + static_cast<std::size_t>(i) * handle_bytes;
    }
};

/// Requests of a call in C.
inline RequestArray c_requests(const void* requests, int count = 1) {
    return {.handles = requests, .handle_bytes = library.constants.int_handles ? 4U : 8U, .count = count};
}

/// A request's number, or trace::kNone or trace::kUnknown.
struct RequestSlot {
    std::int32_t number;
    std::uint8_t traits;

    /// Waits for its completion.
    [[nodiscard]] bool is_active() const {
        return number != trace::kNone && ((traits & kPersistent) == 0 || (traits & kStarted) != 0);
    }
};

/// True for MPI_REQUEST_NULL, MPI_MESSAGE_NULL and MPI_MESSAGE_NO_PROC.
[[nodiscard]] bool is_no_request(Handle handle);

/// Registers a request that a call has made.
/// \param made    a single request
/// \param traits  bits above
/// \return its number; trace::kNone if the library made none, trace::kUnknown without memory
[[nodiscard]] std::int32_t open_slot(const RequestArray& made, unsigned traits);

/// Finds the numbers of requests.
/// \param slots  room for all
void find_slots(const RequestArray& requests, RequestSlot* slots);

/// A started request is complete: its number is free again, unless it is persistent.
void complete_slot(const RequestSlot& slot);

/// A request is freed, or a message received: its number is free again.
void free_slot(const RequestSlot& slot);

/// Persistent requests were started, or one was cancelled.
void mark_slots(const RequestSlot* slots, int n, std::uint8_t trait);

/// Changes whenever a handle may have got another number.
extern std::uint64_t slots_version;

}  // namespace waywiser::profile
