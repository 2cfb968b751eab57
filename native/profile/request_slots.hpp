/// Requests and messages of a trace, by the smallest number that was free when they were made.
#pragma once

#include "profile/library.hpp"
#include "trace/action.hpp"

namespace waywiser::profile {

/// The number of a request that a call has just made.
[[nodiscard]] inline std::int32_t new_slot(Handle) { return trace::kNone; }

/// The number of a request that the program has.
[[nodiscard]] inline std::int32_t slot_of(Handle) { return trace::kNone; }

}  // namespace waywiser::profile
