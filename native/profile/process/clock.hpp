/// The profiler's clock: the cheapest monotonic counter that the CPU has.
///
/// One rdtsc costs about 9 ns, clock_gettime 21 ns; the processor's counter is used if it runs at a constant rate in
/// every power state. Otherwise a tick is one nanosecond of CLOCK_MONOTONIC.
#pragma once

#include <cstdint>
#include <ctime>

#include "base/counter.hpp"
#include "trace/records/state.hpp"

namespace waywiser::profile {

inline std::uint64_t monotonic_ns() {
    timespec now{};
    clock_gettime(CLOCK_MONOTONIC, &now);
    return static_cast<std::uint64_t>(now.tv_sec) * 1'000'000'000U + static_cast<std::uint64_t>(now.tv_nsec);
}

enum class Counter : char { unknown, steady, varying };

/// Determined on first use: a library's constructor may call MPI before the profiler's constructors have run.
inline constinit Counter counter_kind = Counter::unknown;

/// The first reading, and every reading if the counter is unusable. The function is separate, so that `ticks` is small
/// enough to be inlined.
[[gnu::cold, gnu::noinline]] inline std::uint64_t ticks_of_any_clock() {
    if (counter_kind == Counter::unknown) counter_kind = has_steady_counter() ? Counter::steady : Counter::varying;
    return counter_kind == Counter::steady ? counter() : monotonic_ns();
}

[[gnu::always_inline]] inline std::uint64_t ticks() {
    return __builtin_expect(counter_kind == Counter::steady, 1) ? counter() : ticks_of_any_clock();
}

/// The tightest of a few readings: a reading that the scheduler interrupts would distort all times of a short run.
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

/// CLOCK_REALTIME at a recent moment of CLOCK_MONOTONIC, which relates the clocks of different nodes. The tightest of a
/// few readings is used, as above.
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
