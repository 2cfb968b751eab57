/// Threads of OpenMP, or a single thread if the compiler has no OpenMP.
#pragma once

// A source checker may define _OPENMP without having the library.
#if defined(_OPENMP) && __has_include(<omp.h>)
#include <omp.h>
#define WAYWISER_OPENMP
#endif

namespace waywiser {

/// Number of threads of the next parallel region.
[[nodiscard]] inline int thread_limit() {
#ifdef WAYWISER_OPENMP
    return omp_get_max_threads();
#else
    return 1;
#endif
}

/// Number of threads of the parallel region around the call.
[[nodiscard]] inline int team_size() {
#ifdef WAYWISER_OPENMP
    return omp_get_num_threads();
#else
    return 1;
#endif
}

/// Number of the calling thread in its region, from 0.
[[nodiscard]] inline int thread_number() {
#ifdef WAYWISER_OPENMP
    return omp_get_thread_num();
#else
    return 0;
#endif
}

/// Sets the default of parallel regions to one thread, so that a program has threads only where it requests them.
inline void use_one_thread() {
#ifdef WAYWISER_OPENMP
    omp_set_num_threads(1);
#endif
}

}  // namespace waywiser
