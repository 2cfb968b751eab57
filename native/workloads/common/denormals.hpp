/// Treatment of denormal numbers, which are too small for full precision.
#pragma once

#ifdef __SSE2__
#include <emmintrin.h>
#elif defined(__aarch64__)
#include <cstdint>
#endif

namespace waywiser {

/// Makes all threads treat denormal numbers as 0. A wave's far edge and the remainder behind an absorbing layer consist
/// of denormal numbers, and each costs more than a hundred cycles.
inline void flush_denormals() {
#ifdef __SSE2__
    constexpr unsigned flush_to_zero = 0x8000;
    constexpr unsigned denormals_are_zero = 0x0040;
#pragma omp parallel
    _mm_setcsr(_mm_getcsr() | flush_to_zero | denormals_are_zero);
#elif defined(__aarch64__)
    constexpr std::uint64_t flush_to_zero = std::uint64_t{1} << 24;  // FPCR.FZ applies to inputs and results.
#pragma omp parallel
    {
        std::uint64_t control = 0;
        asm volatile("mrs %0, fpcr" : "=r"(control));
        asm volatile("msr fpcr, %0" : : "r"(control | flush_to_zero));
    }
#endif
}

}  // namespace waywiser
