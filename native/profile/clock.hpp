/// The profiler's clock: the cheapest monotonic counter that the CPU has.
///
/// One rdtsc costs about 9 ns where clock_gettime costs 21 ns; it is used where the kernel-visible
/// CPUID says that it runs at a constant rate in every power state. Elsewhere a tick is one
/// nanosecond of CLOCK_MONOTONIC.
#pragma once

#include <cstdint>
#include <ctime>

#if defined(__x86_64__)
#include <cpuid.h>
#include <x86intrin.h>
#endif

#include "trace/state.hpp"

namespace waywiser::profile {

inline std::uint64_t monotonic_ns() {
    timespec now{};
    clock_gettime(CLOCK_MONOTONIC, &now);
    return static_cast<std::uint64_t>(now.tv_sec) * 1'000'000'000U + static_cast<std::uint64_t>(now.tv_nsec);
}

#if defined(__x86_64__)

/// Intel SDM vol. 3B, 18.17.1 and AMD APM vol. 2, 13.2.4: CPUID 8000_0007h EDX bit 8.
inline bool has_invariant_tsc() {
    unsigned a = 0, b = 0, c = 0, d = 0;
    return __get_cpuid(0x80000007U, &a, &b, &c, &d) != 0 && (d & (1U << 8U)) != 0;
}

enum class Tsc : char { unknown, invariant, varying };

/// Asked for when first needed: a library's constructor may call MPI before the profiler's have run.
inline constinit Tsc tsc = Tsc::unknown;

/// The first reading, and all where the counter is of no use. Apart, so that `ticks` is small enough
/// to be inlined.
[[gnu::cold, gnu::noinline]] inline std::uint64_t ticks_of_any_clock() {
    if (tsc == Tsc::unknown) tsc = has_invariant_tsc() ? Tsc::invariant : Tsc::varying;
    return tsc == Tsc::invariant ? __rdtsc() : monotonic_ns();
}

[[gnu::always_inline]] inline std::uint64_t ticks() {
    return __builtin_expect(tsc == Tsc::invariant, 1) ? __rdtsc() : ticks_of_any_clock();
}

#else

inline std::uint64_t ticks() { return monotonic_ns(); }

#endif

/// The tightest of a few readings: one that the scheduler interrupted would bend all times of a
/// short run.
inline state::Calibration calibrate() {
    state::Calibration best{};
    std::uint64_t narrowest = ~std::uint64_t{0};
    for (int reading = 0; reading < 5; ++reading) {
        const std::uint64_t before = ticks();
        const std::uint64_t ns = monotonic_ns();
        const std::uint64_t width = ticks() - before;
        if (width < narrowest) {
            narrowest = width;
            best = {.ticks = before + width / 2, .monotonic_ns = ns};
        }
    }
    return best;
}

/// CLOCK_REALTIME at a moment of CLOCK_MONOTONIC that has just been: what clocks of different nodes
/// have in common. The tightest of a few readings, as above.
inline std::uint64_t unix_ns_at(const state::Calibration& moment) {
    std::uint64_t unix_ns = 0;
    std::uint64_t narrowest = ~std::uint64_t{0};
    for (int reading = 0; reading < 5; ++reading) {
        timespec now{};
        const std::uint64_t before = monotonic_ns();
        clock_gettime(CLOCK_REALTIME, &now);
        const std::uint64_t after = monotonic_ns();
        if (after - before >= narrowest) continue;
        narrowest = after - before;
        unix_ns = static_cast<std::uint64_t>(now.tv_sec) * 1'000'000'000U + static_cast<std::uint64_t>(now.tv_nsec) -
                  (before + narrowest / 2 - moment.monotonic_ns);
    }
    return unix_ns;
}

}  // namespace waywiser::profile
