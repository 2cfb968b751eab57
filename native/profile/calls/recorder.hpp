/// Counts and times the MPI calls of this process.
#pragma once

#include <atomic>
#include <cstdint>

#include "profile/calls/call_sites.hpp"
#include "profile/calls/thread_state.hpp"
#include "profile/messages/carried.hpp"
#include "profile/preload/next_call.hpp"
#include "profile/process/clock.hpp"
#include "profile/tracing/listener.hpp"
#include "profile/tracing/trace_buffer.hpp"

/// Attribute of the code that all wrappers share. The code is inlined into the calls in which programs spend their
/// time. In the other wrappers, five in six, inlining would take most of the profiler's compile time
/// (generate_wrappers.py).
#ifdef WAYWISER_RARE_CALLS
#define WAYWISER_INLINED [[gnu::noinline]]
#else
#define WAYWISER_INLINED [[gnu::always_inline]]
#endif

namespace waywiser::profile {

/// Options of `waywiser profile` that the profiler reads.
struct Options {
    bool sharing;     ///< ask the library which ranks share memory
    bool split_sync;  ///< put a barrier before each blocking collective
    bool call_sites;  ///< distinguish calls by where they were made
    bool posix_io;    ///< count the program's own reads and writes of files
    bool trace;       ///< keep every call
};
extern Options options;

/// The thread's record of a function in the current phase, made on the function's first call. Null without memory.
[[nodiscard]] state::FunctionRecord* function_record(ThreadState& thread, Id id);

/// Adds a point-to-point message to the thread's row of the communication matrix.
void count_message(ThreadState& thread, Handle comm, int rank, std::uint64_t bytes);

/// Time that a call took [ticks].
struct Spent {
    std::uint64_t call = 0;
    std::uint64_t sync = 0;  ///< in the barrier that --split-sync inserts before the call
};

/// Counts a call, or a part of one, for which no memory was left.
void count_unrecorded();

/// Counts a list of a traced call for which no room was left.
void count_lost_list();

/// Counts an object of a trace beyond the limit of distinguished ones.
void count_other_object();

/// The thread's record of a collective on a communicator; null without memory.
[[nodiscard]] state::CollectiveRecord* collective_record(ThreadState& thread, Id id, Handle comm, int root);

/// Adds a collective to its communicator's record.
inline void add(state::CollectiveRecord& record, std::uint64_t sent, std::uint64_t posted, Spent spent) {
    record.calls += 1;
    record.ticks += spent.call;
    record.sync_ticks += spent.sync;
    record.bytes += sent;
    record.receive_bytes += posted;
}

/// Adds what a collective sends to each destination to the thread's row of the matrix, if its arguments specify
/// destinations.
void count_shares(ThreadState& thread, const CollectivePayload& payload);

/// The payload of a persistent request, whose communicator may have been freed since it was made.
struct StartedPayload {
    std::uint64_t sent = 0;
    std::uint64_t posted = 0;
    bool to_one = false;
    int rank = -1;  ///< destination in MPI_COMM_WORLD, or the collective's root
    const state::CommunicatorRecord* communicator = nullptr;  ///< communicator of a collective
    const Spread* spread = nullptr;
    unsigned function = 0;  ///< Id of the call that made the request
};

/// Adds the bytes that a started request sends, and their destinations.
void count_started(ThreadState& thread, const StartedPayload& payload, Spent spent);

/// Adds a call to the record of its call site.
void count_site(ThreadState& thread, Id id, const void* caller, std::uint64_t sent, std::uint64_t posted, Spent spent);

/// The list of a trace that holds what a collective sends to each destination; 0 if its arguments specify no
/// destinations.
[[nodiscard]] std::uint32_t list_of_shares(const CollectivePayload& payload);

[[nodiscard]] inline std::uint32_t counts_of(const CollectivePayload& payload) {
    return payload.shares.counts == nullptr ? 0 : list_of_shares(payload);
}
template <class Carried>
[[nodiscard]] std::uint32_t counts_of(const Carried&) {
    return 0;
}

/// True if the calling thread made an MPI call that ended after `ticks`.
[[nodiscard]] bool called_since(std::uint64_t ticks);

/// Discards cached data before a communicator is freed, because another thread may get its handle as soon as it is
/// free.
void forget_communicators();

/// Changes whenever a communicator's handle may have got another meaning.
extern std::uint64_t communicator_generation;

/// Scratch memory for `n` numbers of the calling thread, by index; null without memory.
[[nodiscard]] int* scratch(int which, std::size_t n);

/// Writes a call's name into a record's field.
template <std::size_t N>
void copy_name(char (&to)[N], Id id) {
    __builtin_strncpy(to, kCallNames[static_cast<std::size_t>(id)], N - 1);
}

/// The process's state, null while nothing is recorded.
[[nodiscard]] StateFile* process_state();

/// True between the end of MPI_Init and the start of MPI_Finalize, when activity outside MPI calls is counted.
extern std::atomic<bool> mpi_is_up;

/// True while the calling thread is in an MPI call. Async-signal-safe.
[[nodiscard]] bool inside_mpi();

/// Writes the kernel's counters and a calibration point into the header.
void sample_process();

extern std::atomic<std::uint64_t> next_sample_ticks;

/// Starts a call that is nested within another.
/// \return the record of the function; null if it is a call of the library to itself
[[gnu::cold]] state::FunctionRecord* enter_within(ThreadState& thread, const void* caller, Id id);

/// Starts a call of the program. If the call is made within another, the other stays the outermost: the inner call is
/// counted, but its time belongs to the outer call.
/// \param frame   stack frame of the wrapper
/// \param caller  return address of the wrapper
/// \return the record of the function; null if the library calls itself, or nothing is recorded
WAYWISER_INLINED inline state::FunctionRecord* enter(ThreadState* thread, const void* frame, const void* caller,
                                                     Id id) {
    if (thread == nullptr) return nullptr;
    // A nested call lies below the outer call on the stack. Otherwise an exception or a longjmp (from an error handler,
    // say) has left the outer call.
    if (thread->outermost != nullptr && frame < thread->outermost) return enter_within(*thread, caller, id);
    thread->outermost = frame;
    if (__builtin_expect(thread->phase != present_phase.load(std::memory_order_relaxed), 0)) follow_phase(*thread);
    state::FunctionRecord* record = thread->functions[static_cast<std::size_t>(id)];
    return __builtin_expect(record != nullptr, 1) ? record : function_record(*thread, id);
}

/// An MPI call that has returned.
struct Ended {
    ThreadState& thread;
    state::FunctionRecord& function;
    const void* caller;
    Id id;
    std::uint64_t begin;  ///< [ticks]; 0: not timed
    std::uint64_t end;
    std::uint64_t sync;

    /// Guards against small differences between the clocks of two CPUs.
    [[nodiscard]] Spent spent() const { return {.call = end > begin ? end - begin : 0, .sync = sync}; }
};

WAYWISER_INLINED inline void add(const Ended& call, std::uint64_t sent, std::uint64_t posted) {
    const Spent time = call.spent();
    state::FunctionRecord& function = call.function;
    state::Bin& bin = function.bins[state::bin_of(sent != 0 ? sent : posted)];
    bin.calls += 1;
    bin.ticks += time.call;
    if (sent != 0) function.bytes += sent;
    if (posted != 0) function.receive_bytes += posted;
    if (time.sync != 0) function.sync_ticks += time.sync;
    if (__builtin_expect(time.call > function.max_ticks, 0)) function.max_ticks = time.call;
    if (__builtin_expect(options.call_sites, 0)) count_site(call.thread, call.id, call.caller, sent, posted, time);
    if (__builtin_expect(call.end >= next_sample_ticks.load(std::memory_order_relaxed), 0)) sample_process();
}

/// Adds a call to the trace. The wait in the barrier of --split-sync counts as part of the call.
WAYWISER_INLINED inline void keep(const Ended& call, state::TraceKey key) {
    key.caller = reinterpret_cast<std::uintptr_t>(program_caller(call.caller));
    key.function = static_cast<std::uint16_t>(static_cast<unsigned>(call.id) + 1);
    // A nested call has no time of its own.
    const bool within = call.begin == 0;
    const std::uint64_t outer = call.thread.where->current_begin_ticks;
    keep_call(*call.thread.tracer, key, within ? outer : call.begin - call.sync, within ? outer : call.end);
}

/// Records and traces a call that failed, or whose arguments cannot be read yet. The function is not inlined: inlined
/// into all wrappers, it would take a fifth of the library's size and compile time.
[[gnu::cold]] void record_failed(Ended call);

/// One MPI call of the program, from before the library's call until after it.
///
/// The object of a frequent call lives in registers: nothing may take its address, and its members are inlined.
class Call {
public:
    [[gnu::always_inline]] explicit Call(Id id)
        : thread_(this_thread()), frame_(__builtin_frame_address(0)), caller_(__builtin_return_address(0)), id_(id) {
        function_ = enter(thread_, frame_, caller_, id);
        if (__builtin_expect(function_ == nullptr || !outermost(), 0)) return;
        thread_->where->current = static_cast<std::uint64_t>(id) + 1;
        begin_ = ticks();
        thread_->where->current_begin_ticks = begin_;
        thread_->spin.function = nullptr;
    }

    [[gnu::always_inline]] ~Call() {
        if (outermost()) thread_->outermost = nullptr;
    }

    Call(const Call&) = delete;
    Call& operator=(const Call&) = delete;

    /// If --split-sync is set, waits for the other ranks of `comm` first, and records that time separately. The
    /// decision must not depend on what this rank can record: all ranks wait, or none does.
    WAYWISER_INLINED void synchronise(Handle comm) {
        if (__builtin_expect(!options.split_sync, 1)) return;
        if ((thread_ != nullptr && !outermost()) || library.barrier == nullptr) return;
        library.barrier(comm);
        if (function_ == nullptr) return;
        const std::uint64_t now = ticks();
        sync_ = now > begin_ ? now - begin_ : 0;
        begin_ = now;
    }

    /// Called after the library's call.
    [[gnu::always_inline]] void end() {
        if (begin_ == 0) return;
        end_ = ticks();
        thread_->where->last_ticks = end_;
    }

    /// True if the call's payload is to be recorded, because the call is the program's own and it succeeded.
    [[nodiscard]] bool needs_payload(int result) const {
        return function_ != nullptr && result == 0 && library.ready();
    }

    WAYWISER_INLINED void record(const Payload& payload = {}) {
        if (function_ == nullptr) return;
        add(ended(), payload.sent, payload.posted);
        if (payload.to_one) count_message(*thread_, payload.comm, payload.destination, payload.sent);
    }

    WAYWISER_INLINED void record(const CollectivePayload& payload) {
        if (function_ == nullptr) return;
        // This is read first, while it is a compile-time constant for most collectives: their payload then stays in
        // registers.
        const bool names_shares = payload.shares.to != Shares::To::nobody;
        add(ended(), payload.sent, payload.posted);
        state::CollectiveRecord* collective = collective_record(*thread_, id_, payload.comm, payload.root);
        if (__builtin_expect(collective != nullptr, 1)) {
            profile::add(*collective, payload.sent, payload.posted, ended().spent());
        } else {
            count_unrecorded();
        }
        if (names_shares) count_shares(*thread_, payload);
    }

    WAYWISER_INLINED void record(const StartedPayload& payload) {
        if (function_ == nullptr) return;
        add(ended(), payload.sent, payload.posted);
        count_started(*thread_, payload, ended().spent());
    }

    /// Reports a call that both sends and waits to the listener at its start: its partners may need the call's data
    /// before it ends.
    template <class Carry, class Make>
    WAYWISER_INLINED void begins(Carry&& carry, Make&& make) {
        if (__builtin_expect(listener == nullptr, 1) || !is_traced() || !library.ready()) return;
        state::TraceKey key = make();
        key.bytes = carry().sent;
        key.function = static_cast<std::uint16_t>(static_cast<unsigned>(id_) + 1);
        listener->sends(key, begin_ == 0 ? thread_->where->current_begin_ticks : begin_);
    }

    /// Traces the call.
    /// \param make  returns the call's trace key; called only if there is a trace
    template <class Carried, class Make>
    WAYWISER_INLINED void trace(const Carried& carried, Make&& make) {
        if (__builtin_expect(!is_traced(), 1)) return;
        state::TraceKey key = make();
        key.bytes = carried.sent;
        key.posted = carried.posted;
        if (const std::uint32_t counts = counts_of(carried); counts != 0) key.counts = counts;
        keep(ended(), key);
    }

    /// Traces a call without parameters.
    WAYWISER_INLINED void trace() {
        if (__builtin_expect(is_traced(), 0)) keep(ended(), {});
    }

    /// Records and traces a call without its payload.
    [[gnu::always_inline]] void record_failed() {
        if (function_ != nullptr) profile::record_failed(ended());
    }

    [[nodiscard]] bool is_traced() const { return function_ != nullptr && thread_->tracer != nullptr; }

    /// True if the program made this call, rather than the library.
    [[nodiscard]] bool of_program() const { return function_ != nullptr || outermost(); }

    /// True if this call is not nested within another.
    [[nodiscard]] bool outermost() const { return thread_ != nullptr && thread_->outermost == frame_; }

    [[nodiscard]] ThreadState& thread() const { return *thread_; }
    [[nodiscard]] Id id() const { return id_; }
    [[nodiscard]] std::uint64_t begin_ticks() const { return begin_; }
    [[nodiscard]] std::uint64_t end_ticks() const { return end_; }

private:
    /// The ended call; valid only while something is recorded.
    [[gnu::always_inline]] [[nodiscard]] Ended ended() const {
        return {*thread_, *function_, caller_, id_, begin_, end_, sync_};
    }

    ThreadState* thread_;
    const void* frame_;
    const void* caller_;
    Id id_;
    state::FunctionRecord* function_ = nullptr;
    std::uint64_t begin_ = 0;  ///< 0: not timed
    std::uint64_t end_ = 0;
    std::uint64_t sync_ = 0;
};

}  // namespace waywiser::profile
