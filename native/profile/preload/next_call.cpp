#include "profile/preload/next_call.hpp"

#include "profile/preload/library.hpp"

namespace waywiser::profile {

constinit void* next_calls[kCalls] = {};

void* resolve_next(Id id) {
    void* next = next_definition(kCallNames[static_cast<std::size_t>(id)]);
    next_calls[static_cast<std::size_t>(id)] = next;
    return next;
}

void forget_next_calls() {
    for (void*& next : next_calls) __atomic_store_n(&next, nullptr, __ATOMIC_RELAXED);
}

}  // namespace waywiser::profile
