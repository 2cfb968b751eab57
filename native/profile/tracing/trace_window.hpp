/// Selects the calls of a trace: those that begin in a time window and in a phase.
#pragma once

#include <atomic>
#include <cstdint>
#include <string_view>

#include "trace/records/state.hpp"

namespace waywiser::profile {

/// The time from `begin` up to, but not including, `end` [ticks].
struct Interval {
    std::atomic<std::uint64_t> begin = 0;
    std::atomic<std::uint64_t> end = ~std::uint64_t{0};

    [[nodiscard]] bool holds(std::uint64_t ticks) const {
        return ticks >= begin.load(std::memory_order_relaxed) && ticks < end.load(std::memory_order_relaxed);
    }
};

struct TraceWindow {
    bool whole = true;  ///< every call is kept
    Interval time;
    Interval phase;  ///< the latest interval in the requested phase
};
extern TraceWindow trace_window;

[[nodiscard]] inline bool in_window(std::uint64_t begin_ticks) {
    if (__builtin_expect(trace_window.whole, 1)) return true;
    return trace_window.time.holds(begin_ticks) && trace_window.phase.holds(begin_ticks);
}

/// Takes an option that defines the window (trace_buffer.hpp).
void read_window_option(std::string_view name, const char* value);

/// The process enters phase `number` at `at_ticks`.
void follow_phase_in_trace(long number, std::uint64_t at_ticks);

/// The process leaves its phase at `at_ticks` without entering another.
void leave_phase_in_trace(std::uint64_t at_ticks);

/// Converts the window to ticks after the clock's rate has become better known.
void set_window_ticks(const state::Header& header);

}  // namespace waywiser::profile
