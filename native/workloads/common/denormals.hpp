/// Numbers too small for their format to hold in full.
#pragma once

#ifdef __SSE2__
#include <emmintrin.h>
#endif

namespace waywiser {

/// From here on, all threads take them for 0: a wave's far edge and what an absorbing layer leaves consist of them, and
/// each one costs more than a hundred cycles.
inline void flush_denormals() {
#ifdef __SSE2__
    constexpr unsigned flush_to_zero = 0x8000;
    constexpr unsigned denormals_are_zero = 0x0040;
#pragma omp parallel
    _mm_setcsr(_mm_getcsr() | flush_to_zero | denormals_are_zero);
#endif
}

}  // namespace waywiser
