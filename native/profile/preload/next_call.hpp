/// The definitions of MPI's calls that come after those of this preloaded library.
#pragma once

#include "call_ids.hpp"  // generated: enum class Id, kCalls, kCallNames

namespace waywiser::profile {

/// What a wrapper answers when the library has no such call: MPI_ERR_OTHER of most families.
inline constexpr int kNoSuchCall = 16;

extern void* next_calls[kCalls];
void* resolve_next(Id id);

/// The definition of a wrapped call that comes after this one: the library's own, or that of another
/// tool. Null if there is none.
template <class Function>
Function next_call(Id id) {
    void* next = next_calls[static_cast<std::size_t>(id)];
    if (__builtin_expect(next == nullptr, 0)) next = resolve_next(id);
    return reinterpret_cast<Function>(next);
}

/// The addresses may lie elsewhere, once something was unloaded.
void forget_next_calls();

}  // namespace waywiser::profile
