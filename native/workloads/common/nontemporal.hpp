/// Stores of whole vectors round the caches.
#pragma once

namespace waywiser {

/// Round the caches, so that the line is not read from memory first. `to` is aligned to the vector.
template <class Vector>
[[gnu::always_inline]] inline void store_nontemporal(Vector* to, const Vector& value) {
#ifdef __x86_64__
    // Intrinsics do not mix with functions of other instruction sets.
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
