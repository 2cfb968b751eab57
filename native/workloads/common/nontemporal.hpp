/// Stores of whole vectors that bypass the caches.
#pragma once

namespace waywiser {

/// Stores a vector past the caches, so that its cache line is not read from memory first. `to` must be aligned to the
/// vector.
template <class Vector>
[[gnu::always_inline]] inline void store_nontemporal(Vector* to, const Vector& value) {
#ifdef __x86_64__
    // Intrinsics cannot be combined with functions for other instruction sets.
    if constexpr (sizeof(Vector) == 16) {
        asm volatile("movntps %1, %0" : "=m"(*to) : "x"(value));
    } else {
        asm volatile("vmovntps %1, %0" : "=m"(*to) : "v"(value));
    }
#else
    *to = value;
#endif
}

/// Must be called before other threads read nontemporal stores.
inline void fence_nontemporal() {
#ifdef __x86_64__
    asm volatile("sfence" ::: "memory");
#endif
}

}  // namespace waywiser
