/// Timing of polls in a busy-wait loop (a spin).
///
/// A spin is a run of polls of one function by one thread that find nothing, without another MPI call between them.
/// Each poll takes at most kTight_ns, including the gap before it. Once kTightPolls in a row were timed, only every
/// kPeriod-th is; the others count as much time as the polls around them. The first poll that finds something ends the
/// spin, and so does the first timed poll that comes late. So at most one long poll is missed in each spin, and slow
/// polls are timed one by one.
#include "profile/calls/polls.hpp"

namespace waywiser::profile {
namespace {

constexpr std::uint64_t kTight_ns = 200;  // Time stamps cost little beside polls that take longer than this.
constexpr std::uint32_t kTightPolls = 8;
constexpr std::uint32_t kPeriod = 8;

/// True if the poll that ends at `now` belongs to the thread's spin.
bool continues(const Spin& spin, const state::FunctionRecord& function, std::uint64_t now) {
    const std::uint64_t polls = spin.tight >= kTightPolls ? kPeriod : 1;
    return spin.function == &function && now - spin.last_end_ticks <= about_ticks(polls * kTight_ns);
}

}  // namespace

Spent record_timed_poll(ThreadState& thread, state::FunctionRecord& function, std::uint64_t begin, state::Bin& bin,
                        bool done) {
    const std::uint64_t now = ticks();
    const Spent spent{.call = now > begin ? now - begin : 0};
    bin.ticks += spent.call;
    if (spent.call > function.max_ticks) function.max_ticks = spent.call;
    thread.where->last_ticks = now;
    Spin& spin = thread.spin;
    if (continues(spin, function, now)) {
        spin.tight += spin.tight < kTightPolls ? 1 : 0;
        spin.typical_ticks = (3 * spin.typical_ticks + spent.call) / 4;
    } else {
        spin.tight = 0;
        spin.typical_ticks = spent.call;
    }
    spin.function = done || options.call_sites ? nullptr : &function;
    spin.untimed = spin.tight >= kTightPolls ? kPeriod - 1 : 0;
    spin.last_end_ticks = now;
    if (now >= next_sample_ticks.load(std::memory_order_relaxed)) sample_process();
    return spent;
}

void keep_found_untimed(ThreadState& thread) {
    const std::uint64_t now = ticks();
    keep_found(*thread.tracer, now - thread.spin.typical_ticks, now);
}

}  // namespace waywiser::profile
