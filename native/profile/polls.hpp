/// MPI_Test, MPI_Iprobe and their kind.
#pragma once

#include "profile/recorder.hpp"

namespace waywiser::profile {

/// Takes the end of a poll and decides how the next ones are timed.
Spent record_timed_poll(ThreadState& thread, state::FunctionRecord& function, std::uint64_t begin, state::Bin& bin,
                        bool done);

/// A call that asks whether something is complete. Programs spin on these: two time stamps would
/// then cost as much as the call. So in a loop that does nothing else, of eight polls one is timed,
/// and the others are counted at the time of the latest (see polls.cpp).
class Poll {
public:
    [[gnu::always_inline]] explicit Poll(Id id)
        : thread_(this_thread()), frame_(__builtin_frame_address(0)), caller_(__builtin_return_address(0)), id_(id) {
        function_ = enter(thread_, frame_, caller_, id);
        if (__builtin_expect(function_ == nullptr || thread_->outermost != frame_, 0)) return;
        timed_ = thread_->spin.function != function_ || thread_->spin.untimed == 0;
        if (timed_) begin_ = ticks();
    }

    [[gnu::always_inline]] ~Poll() {
        if (thread_ != nullptr && thread_->outermost == frame_) thread_->outermost = nullptr;
    }

    Poll(const Poll&) = delete;
    Poll& operator=(const Poll&) = delete;

    /// The library has returned.
    /// \param done  whether what was asked for is complete
    [[gnu::always_inline]] void record(bool done) {
        if (function_ == nullptr) return;
        state::Bin& bin = done ? function_->bins[0] : function_->pending;
        bin.calls += 1;
        if (__builtin_expect(timed_, 0)) {
            const bool within = begin_ == 0;
            const Spent spent = within ? Spent{} : record_timed_poll(*thread_, *function_, begin_, bin, done);
            if (__builtin_expect(options.call_sites, 0)) count_site(*thread_, id_, caller_, 0, 0, spent);
            return;
        }
        bin.ticks += thread_->spin.typical_ticks;
        thread_->spin.untimed = done ? 0 : thread_->spin.untimed - 1;
    }

private:
    ThreadState* thread_;
    const void* frame_;
    const void* caller_;
    Id id_;
    state::FunctionRecord* function_ = nullptr;
    std::uint64_t begin_ = 0;
    bool timed_ = true;
};

}  // namespace waywiser::profile
