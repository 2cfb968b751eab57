/// The processor's time counter, which programs read without a system call: the TSC of x86-64, the virtual counter of
/// aarch64. All cores of a node read the same counter.
#pragma once

#include <cstdint>

#if defined(__x86_64__)
#include <cpuid.h>
#include <x86intrin.h>
#endif

namespace waywiser {

#if defined(__x86_64__)

/// True if the counter runs at a constant rate in every power state. Intel SDM vol. 3B, 18.17.1 and AMD APM vol. 2,
/// 13.2.4: CPUID 8000_0007h EDX bit 8.
inline bool has_steady_counter() {
    unsigned a = 0, b = 0, c = 0, d = 0;
    return __get_cpuid(0x80000007U, &a, &b, &c, &d) != 0 && (d & (1U << 8U)) != 0;
}

[[gnu::always_inline]] inline std::uint64_t counter() { return __rdtsc(); }

/// Reads the counter after all earlier instructions have been executed.
[[gnu::always_inline]] inline std::uint64_t counter_in_order() {
    _mm_lfence();
    return __rdtsc();
}

/// Ticks in a number of nanoseconds, approximately: the rate is between 2 and 4 GHz, and no instruction reports it.
inline std::uint64_t about_ticks(std::uint64_t ns) { return 2 * ns; }

#elif defined(__aarch64__)

/// The architecture guarantees a steady counter: Arm ARM (DDI 0487), "The Generic Timer in AArch64 state".
inline bool has_steady_counter() { return true; }

/// The processor may read the counter long before earlier instructions (ibid., CNTVCT_EL0); ISB prevents that.
[[gnu::always_inline]] inline std::uint64_t counter_in_order() {
    std::uint64_t count = 0;
    asm volatile("isb\n\tmrs %0, cntvct_el0" : "=r"(count)::"memory");
    return count;
}

[[gnu::always_inline]] inline std::uint64_t counter() { return counter_in_order(); }

/// The counter's rate is between 24 MHz and 1 GHz.
inline std::uint64_t about_ticks(std::uint64_t ns) {
    std::uint64_t hertz = 0;
    asm("mrs %0, cntfrq_el0" : "=r"(hertz));
    return ns * (hertz / 1'000) / 1'000'000;
}

#else

inline bool has_steady_counter() { return false; }
inline std::uint64_t counter() { return 0; }
inline std::uint64_t counter_in_order() { return 0; }
inline std::uint64_t about_ticks(std::uint64_t ns) { return ns; }

#endif

}  // namespace waywiser
