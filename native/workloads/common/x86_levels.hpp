/// The x86-64 microarchitecture level of the CPU (v4 has AVX-512, v3 AVX2), for kernels that are compiled for several.
#pragma once

// The macro is 0 if the compiler lacks support; the code for the baseline CPU always exists.
#if defined(__x86_64__) && defined(__GNUC__) && !defined(WAYWISER_NO_CLONES) && !defined(__SANITIZE_ADDRESS__) && \
    !defined(__SANITIZE_THREAD__)
#define WAYWISER_HAS_LEVELS 1
#else
#define WAYWISER_HAS_LEVELS 0
#endif

namespace waywiser {

/// Bytes of the widest registers for which there is code: 64, 32 or 16.
[[nodiscard]] inline int register_bytes() {
#if WAYWISER_HAS_LEVELS
    static const int bytes = [] {
        const bool v4 = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
                        __builtin_cpu_supports("avx512cd") && __builtin_cpu_supports("avx512dq") &&
                        __builtin_cpu_supports("avx512vl");
        const bool v3 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
                        __builtin_cpu_supports("bmi") && __builtin_cpu_supports("bmi2");
        return v4 ? 64 : v3 ? 32 : 16;
    }();
    return bytes;
#else
    return 16;
#endif
}

}  // namespace waywiser
