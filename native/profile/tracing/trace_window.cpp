#include "profile/tracing/trace_window.hpp"

#include <cstdlib>
#include <ctime>

#include "profile/process/clock.hpp"

namespace waywiser::profile {

constinit TraceWindow trace_window;

namespace {

constexpr std::uint64_t kNever = ~std::uint64_t{0};

struct RequestedWindow {
    bool time = false;
    bool phase = false;
    std::uint64_t begin_ns = 0;  ///< time of CLOCK_MONOTONIC
    std::uint64_t end_ns = 0;
    long phase_number = 0;
};
constinit RequestedWindow requested_window;

/// Converts a wall-clock time (ns since 1970) to CLOCK_MONOTONIC.
std::uint64_t on_monotonic_clock(std::uint64_t unix_ns) {
    timespec wall{};
    clock_gettime(CLOCK_REALTIME, &wall);
    const std::uint64_t now =
        static_cast<std::uint64_t>(wall.tv_sec) * 1'000'000'000U + static_cast<std::uint64_t>(wall.tv_nsec);
    const std::uint64_t booted = now - monotonic_ns();
    return unix_ns > booted ? unix_ns - booted : 0;
}

/// Converts a time to ticks by the process's two calibrations; with only one, the result only shows whether that time
/// has passed.
std::uint64_t in_ticks(std::uint64_t ns, const state::Calibration& first, const state::Calibration& latest) {
    if (ns == kNever) return kNever;
    if (latest.monotonic_ns <= first.monotonic_ns) return ns <= first.monotonic_ns ? 0 : kNever;
    const double rate =
        static_cast<double>(latest.ticks - first.ticks) / static_cast<double>(latest.monotonic_ns - first.monotonic_ns);
    const double away = (static_cast<double>(ns) - static_cast<double>(latest.monotonic_ns)) * rate;
    const double ticks = static_cast<double>(latest.ticks) + away;
    return ticks <= 0 ? 0 : static_cast<std::uint64_t>(ticks);
}

}  // namespace

void read_window_option(std::string_view name, const char* value) {
    if (name == "trace-phase") {
        requested_window.phase = true;
        requested_window.phase_number = std::strtol(value, nullptr, 10);
        trace_window.phase.begin = kNever;
    } else if (name == "trace-window") {
        char* end = nullptr;
        requested_window.time = true;
        requested_window.begin_ns = on_monotonic_clock(std::strtoull(value, &end, 10));
        requested_window.end_ns = *end == ':' ? on_monotonic_clock(std::strtoull(end + 1, nullptr, 10)) : kNever;
    }
    trace_window.whole = !requested_window.phase && !requested_window.time;
}

void follow_phase_in_trace(long number, std::uint64_t at_ticks) {
    if (!requested_window.phase) return;
    if (number != requested_window.phase_number) return leave_phase_in_trace(at_ticks);
    Interval& phase = trace_window.phase;
    if (phase.begin != kNever && phase.end == kNever) return;
    phase.begin = at_ticks;
    phase.end = kNever;
}

void leave_phase_in_trace(std::uint64_t at_ticks) {
    if (requested_window.phase && trace_window.phase.end == kNever) trace_window.phase.end = at_ticks;
}

void set_window_ticks(const state::Header& header) {
    if (!requested_window.time) return;
    trace_window.time.begin = in_ticks(requested_window.begin_ns, header.begin, header.end);
    trace_window.time.end = in_ticks(requested_window.end_ns, header.begin, header.end);
}

}  // namespace waywiser::profile
