/// WAYWISER_CLONES before a function compiles the function also for AVX2 and AVX-512; the choice is made when the
/// program starts. The macro is empty if the compiler or the C library lacks support. The plain x86-64 (or other) code
/// always exists. Define WAYWISER_NO_CLONES to test the plain code on a newer machine.
#pragma once

#if !defined(WAYWISER_NO_CLONES) && defined(__x86_64__) && defined(__gnu_linux__) && !defined(__clang__) && \
    __GNUC__ >= 12 && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define WAYWISER_CLONES __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))
#else
#define WAYWISER_CLONES
#endif
