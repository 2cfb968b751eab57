/// Selects a kernel for the widest registers of the CPU on which it runs.
#pragma once

#include "workloads/common/x86_levels.hpp"

namespace waywiser {

template <class Work>
using Kernel = void (*)(const Work&);

template <class Loops, class Work>
void run_for_any(const Work& work) {
    Loops::template run<16>(work);
}

#if WAYWISER_HAS_LEVELS
template <class Loops, class Work>
[[gnu::target("arch=x86-64-v3")]] void run_for_level_3(const Work& work) {
    Loops::template run<32>(work);
}

template <class Loops, class Work>
[[gnu::target("arch=x86-64-v4")]] void run_for_level_4(const Work& work) {
    Loops::template run<64>(work);
}
#endif

/// `Loops::run<bytes>(work)`, which must be inlined, uses registers of this number of bytes. The kernel calls it with
/// `register_bytes()`.
template <class Loops, class Work>
[[nodiscard]] Kernel<Work> for_this_cpu() {
#if WAYWISER_HAS_LEVELS
    if (register_bytes() == 64) return run_for_level_4<Loops, Work>;
    if (register_bytes() == 32) return run_for_level_3<Loops, Work>;
#endif
    return run_for_any<Loops, Work>;
}

}  // namespace waywiser
