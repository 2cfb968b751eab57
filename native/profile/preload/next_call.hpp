/// The next definitions of MPI's calls after this preloaded library.
#pragma once

#include "call_ids.hpp"  // generated; defines enum class Id, kCalls, kCallNames

namespace waywiser::profile {

/// A wrapper's error code if the library lacks the call: MPI_ERR_OTHER of most families.
inline constexpr int kNoSuchCall = 16;

extern void* next_calls[kCalls];
void* resolve_next(Id id);

/// The next definition of a wrapped call: the library's own, or another tool's. Null if there is none.
template <class Function>
Function next_call(Id id) {
    void* next = next_calls[static_cast<std::size_t>(id)];
    if (__builtin_expect(next == nullptr, 0)) next = resolve_next(id);
    return reinterpret_cast<Function>(next);
}

/// Discards the addresses, which may be invalid after an unload.
void forget_next_calls();

}  // namespace waywiser::profile
