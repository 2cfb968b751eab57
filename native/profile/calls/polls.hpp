/// Recording of MPI_Test, MPI_Iprobe and the other polls.
#pragma once

#include "profile/calls/recorder.hpp"
#include "profile/tracing/completion.hpp"

namespace waywiser::profile {

/// Records the end of a poll and decides how the next ones are timed.
Spent record_timed_poll(ThreadState& thread, state::FunctionRecord& function, std::uint64_t begin, state::Bin& bin,
                        bool done);

/// Records that a poll of a spin that was not timed has found something: its end is now.
void keep_found_untimed(ThreadState& thread);

/// The subject of a poll for a message of that source and tag in a communicator, or for an object alone.
[[nodiscard]] inline Subject subject(std::int32_t object, int source = 0, int tag = 0) {
    return {.first = static_cast<std::uint32_t>(object),
            .second = static_cast<std::uint32_t>(source) | std::uint64_t{static_cast<std::uint32_t>(tag)} << 32U};
}

/// A call that tests for completion. Programs spin on these calls, where two time stamps would cost as much as the
/// call. So in a loop that does nothing else, one poll in eight is timed, and the others count with the time of the
/// latest (see polls.cpp).
///
/// The object lives in registers, as Call does.
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

    /// Called before the library's call. Consecutive polls with the same subject are one entry of a trace.
    /// \param subject  returns the Subject; called only if there is a trace
    /// \param make     returns the call's trace key
    template <class GiveSubject, class Make>
    [[gnu::always_inline]] void ask(GiveSubject&& subject, Make&& make) {
        if (__builtin_expect(!is_traced(), 1) || thread_->outermost != frame_ || !library.ready()) return;
        const Subject polled = subject();
        if (__builtin_expect(is_latest(polled), 1)) return;
        if (!timed_) begin_ = ticks();
        timed_ = true;
        start_polls(*thread_->tracer, {.caller = caller_, .function = function_, .subject = polled}, at_place(make()));
    }

    /// True if a traced poll tests the same requests as the preceding call, and none of them is a wildcard receive.
    /// Until it finds something, the poll is then handled as if there were no trace.
    /// \param detail  the second word of the subject
    [[nodiscard, gnu::always_inline]] bool repeats(const RequestArray& requests, std::uint64_t detail) const {
        const SlotsFound& latest = thread_->slots_found;
        return outermost() && is_latest({latest.serial, detail}) && !latest.leave_open && is_known(latest, requests);
    }

    /// Records that the poll has found something; `add` completes its trace key.
    template <class Add>
    [[gnu::always_inline]] void add(Add&& add) {
        if (is_traced() && outermost() && library.ready()) add(thread_->tracer->poll);
    }

    [[nodiscard, gnu::always_inline]] bool is_traced() const {
        return function_ != nullptr && thread_->tracer != nullptr;
    }

    /// True if this call is not nested within another.
    [[nodiscard, gnu::always_inline]] bool outermost() const {
        return thread_ != nullptr && thread_->outermost == frame_;
    }

    /// Called after the library's call.
    [[gnu::always_inline]] void record(bool done) {
        if (function_ == nullptr) return;
        state::Bin& bin = done ? function_->bins[0] : function_->pending;
        bin.calls += 1;
        if (__builtin_expect(timed_, 0)) {
            const bool within = begin_ == 0;
            const Spent spent = within ? Spent{} : record_timed_poll(*thread_, *function_, begin_, bin, done);
            if (__builtin_expect(options.call_sites, 0)) count_site(*thread_, id_, caller_, 0, 0, spent);
            if (__builtin_expect(is_traced(), 0)) trace(done, within, bin.ticks - spent.call);
            return;
        }
        bin.ticks += thread_->spin.typical_ticks;
        thread_->spin.untimed = done ? 0 : thread_->spin.untimed - 1;
        if (__builtin_expect(thread_->tracer != nullptr, 0)) {
            if (!done) {
                *thread_->tracer->polls += 1;
            } else {
                keep_found_untimed(*thread_);
            }
        }
    }

private:
    [[nodiscard, gnu::always_inline]] bool is_latest(Subject subject) const {
        const PollOrigin& latest = thread_->tracer->poll_origin;
        return latest.subject.first == subject.first && latest.subject.second == subject.second &&
               latest.caller == caller_ && latest.function == function_;
    }

    [[nodiscard, gnu::always_inline]] state::TraceKey at_place(state::TraceKey key) const {
        key.caller = reinterpret_cast<std::uintptr_t>(program_caller(caller_));
        key.function = static_cast<std::uint16_t>(static_cast<unsigned>(id_) + 1);
        return key;
    }

    /// \param ticks_before  time in such polls before this poll
    [[gnu::always_inline]] void trace(bool done, bool within, std::uint64_t ticks_before) const {
        Tracer& tracer = *thread_->tracer;
        const std::uint64_t end = thread_->where->last_ticks;
        if (within) {
            const std::uint64_t begin = thread_->where->current_begin_ticks;
            keep_call(tracer, at_place({.found = static_cast<std::uint8_t>(done ? 1 : 0)}), begin, begin);
        } else if (done) {
            keep_found(tracer, begin_, end);
        } else {
            keep_pending(tracer, begin_, end, ticks_before);
        }
    }

    ThreadState* thread_;
    const void* frame_;
    const void* caller_;
    Id id_;
    state::FunctionRecord* function_ = nullptr;
    std::uint64_t begin_ = 0;
    bool timed_ = true;
};

}  // namespace waywiser::profile
