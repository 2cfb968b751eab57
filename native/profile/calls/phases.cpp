#include "profile/calls/phases.hpp"

#include <algorithm>

#include "profile/calls/recorder.hpp"
#include "profile/preload/slow_path.hpp"
#include "profile/tracing/trace_window.hpp"

namespace waywiser::profile {

constinit std::atomic<int> present_phase = 0;

namespace {

struct Phase {
    long number;
    state::PhaseRecord* record;  ///< null without memory: its calls are recorded without its time
};

constinit Phase phases[kPhases] = {{.number = kFirstPhase, .record = nullptr}};
constinit int phase_count = 1;

int index_of(long number) {
    for (int i = 0; i < phase_count; ++i) {
        if (phases[i].number == number) return i;
    }
    if (phase_count == kPhases) return kPhases - 1;
    phases[phase_count].number = phase_count == kPhases - 1 ? kOtherPhases : number;
    return phase_count++;
}

/// \return when the phase ended, at least its start: another thread may have started it later, or on another CPU's
///         clock
std::uint64_t stop_clock(Phase& phase, std::uint64_t now) {
    if (phase.record == nullptr || phase.record->since_ticks == 0) return now;
    now = std::max(now, phase.record->since_ticks);
    phase.record->ticks += now - phase.record->since_ticks;
    phase.record->since_ticks = 0;
    return now;
}

void start_clock(Phase& phase, std::uint64_t now) {
    if (phase.record == nullptr) {
        auto* record = process_state()->allocate<state::PhaseRecord>();
        if (record == nullptr) return;
        record->phase = phase.number;
        StateFile::publish(record->header, state::Kind::phase);
        phase.record = record;
    }
    phase.record->entries += 1;
    phase.record->since_ticks = now;
}

}  // namespace

void enter_phase(long number, std::uint64_t at_ticks) {
    if (process_state() == nullptr) return;
    const Locked lock(slow_path);
    const int index = index_of(number < 0 ? kFirstPhase : number);
    const std::uint64_t now = stop_clock(phases[present_phase.load(std::memory_order_relaxed)], at_ticks);
    start_clock(phases[index], now);
    present_phase.store(index, std::memory_order_relaxed);
    follow_phase_in_trace(phases[index].number, now);
}

void leave_phases(std::uint64_t at_ticks) {
    if (process_state() == nullptr) return;
    const Locked lock(slow_path);
    leave_phase_in_trace(stop_clock(phases[present_phase.load(std::memory_order_relaxed)], at_ticks));
}

void follow_phase(ThreadState& thread) {
    const int index = present_phase.load(std::memory_order_relaxed);
    if (thread.functions_of[index] == nullptr) {
        thread.functions_of[index] =
            static_cast<state::FunctionRecord**>(zeroed_pages(kCalls * sizeof(state::FunctionRecord*)));
    }
    if (thread.functions_of[index] == nullptr) return;
    thread.functions = thread.functions_of[index];
    thread.phase = index;
}

long phase_number(int index) { return phases[index].number; }

}  // namespace waywiser::profile
