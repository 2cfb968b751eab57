/// Communicators, windows and files of a trace, by numbers of the process's own.
#pragma once

#include "profile/library.hpp"
#include "trace/action.hpp"

namespace waywiser::profile {

/// The number of a communicator, window or file; kNone where it has none.
[[nodiscard]] inline std::int32_t object_of(Handle) { return trace::kNone; }

/// Gives a number to what a call has made.
/// \param from  communicator of its processes; null if there is none
[[nodiscard]] inline std::int32_t new_communicator(Handle /*from*/, Handle) { return trace::kNone; }
[[nodiscard]] inline std::int32_t new_window(Handle /*from*/, Handle) { return trace::kNone; }
[[nodiscard]] inline std::int32_t new_file(Handle /*from*/, Handle) { return trace::kNone; }

}  // namespace waywiser::profile
