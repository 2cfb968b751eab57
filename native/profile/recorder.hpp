/// Counts and times the MPI calls of this process.
///
/// Each thread writes tables of its own, so the hot path has no lock, no atomic read-modify-write
/// and no allocation. Tables are made on a thread's first call of a function and on its first
/// message to a partner; when there is no memory for one, the call is counted as unrecorded.
#pragma once

#include <atomic>
#include <cstdint>

#include "call_ids.hpp"  // generated: enum class Id, kCalls, kCallNames
#include "profile/clock.hpp"
#include "profile/payload.hpp"
#include "profile/state_file.hpp"

namespace waywiser::profile {

/// What is remembered of (communicator, rank): the thread's counters for that world rank.
struct PeerEntry {
    std::uintptr_t comm;
    std::uint64_t generation;
    int rank;
    state::Partner* partner;  ///< null: not a process of MPI_COMM_WORLD
};

inline constexpr std::size_t kPeerEntries = 1024;

struct ThreadState {
    state::ThreadRecord* where;
    const void* outermost;  ///< the Call that the program itself made; those within are not recorded
    std::uint32_t index;
    state::FunctionRecord* functions[kCalls];
    state::PartnersRecord* partners;  ///< the newest, with room for more
    state::Partner** by_world_rank;   ///< open-addressed table of `table_size` slots
    std::size_t table_size;
    std::size_t partner_count;
    PeerEntry peers[kPeerEntries];  ///< direct-mapped: a collision costs time, never a count
    ThreadState* next_free;
};

/// The calling thread's tables; made on its first MPI call. Null while nothing is recorded.
[[nodiscard]] ThreadState* this_thread();

/// The thread's record of a function; made on its first call. Null without memory.
[[nodiscard]] state::FunctionRecord* function_record(ThreadState& thread, Id id);

/// Adds a point-to-point message to the thread's row of the communication matrix.
void count_message(ThreadState& thread, const Payload& payload);

/// Replaces a message's communicator by MPI_COMM_WORLD, so that it outlives the communicator.
void name_in_world(Payload& payload);

/// True if the calling thread made an MPI call that ended after `ticks`.
[[nodiscard]] bool called_since(std::uint64_t ticks);

/// A communicator is about to be freed, and its handle may come back: forget what is known of it.
/// Before, because another thread may get the handle as soon as it is free.
void forget_communicators();

/// The process's state, null while nothing is recorded.
[[nodiscard]] StateFile* process_state();

/// Takes the kernel's counters and a calibration point into the header.
void sample_process();

extern std::atomic<std::uint64_t> next_sample_ticks;

/// One MPI call of the program, from before the library is entered to after it returned.
class Call {
public:
    explicit Call(Id id) : thread_(this_thread()) {
        if (thread_ == nullptr) return;
        // A call within another lies below it on the stack. One that does not was entered after an
        // exception or a longjmp had left the other (from an error handler, say).
        if (thread_->outermost != nullptr && static_cast<const void*>(this) < thread_->outermost) return;
        thread_->outermost = this;
        function_ = thread_->functions[static_cast<std::size_t>(id)];
        if (__builtin_expect(function_ == nullptr, 0)) function_ = function_record(*thread_, id);
        if (__builtin_expect(function_ == nullptr, 0)) return;
        thread_->where->current = function_->id;
        begin_ = ticks();
        thread_->where->current_begin_ticks = begin_;
    }

    ~Call() {
        if (outermost()) thread_->outermost = nullptr;
    }

    Call(const Call&) = delete;
    Call& operator=(const Call&) = delete;

    /// The library has returned.
    void end() {
        if (function_ == nullptr) return;
        end_ = ticks();
        thread_->where->last_ticks = end_;
        thread_->where->current = 0;
    }

    /// True if the call's payload is wanted: it is the program's own, and it succeeded.
    [[nodiscard]] bool wants_payload(int result) const {
        return function_ != nullptr && result == 0 && library.ready();
    }

    void record(const Payload& payload = {}) {
        if (function_ == nullptr) return;
        state::Bin& bin = function_->bins[state::bin_of(payload.sent != 0 ? payload.sent : payload.posted)];
        bin.calls += 1;
        bin.ticks += end_ > begin_ ? end_ - begin_ : 0;  // clocks of two CPUs may differ by a hair
        function_->bytes += payload.sent;
        function_->posted_bytes += payload.posted;
        if (payload.to_one) count_message(*thread_, payload);
        if (end_ >= next_sample_ticks.load(std::memory_order_relaxed)) sample_process();
    }

    /// True if this is not a call that the library makes to itself.
    [[nodiscard]] bool outermost() const { return thread_ != nullptr && thread_->outermost == this; }

    [[nodiscard]] ThreadState& thread() const { return *thread_; }
    [[nodiscard]] std::uint64_t begin_ticks() const { return begin_; }
    [[nodiscard]] std::uint64_t end_ticks() const { return end_; }

private:
    ThreadState* thread_;
    state::FunctionRecord* function_ = nullptr;
    std::uint64_t begin_ = 0;
    std::uint64_t end_ = 0;
};

/// What a wrapper answers when the library has no such call: MPI_ERR_OTHER of most families.
inline constexpr int kNoSuchCall = 16;

extern void* next_calls[kCalls];
void* resolve_next(Id id);

/// The definition of a wrapped call that comes after the profiler's: the library's own, or that
/// of another tool. Null if there is none.
template <class Function>
Function next_call(Id id) {
    void* next = next_calls[static_cast<std::size_t>(id)];
    if (__builtin_expect(next == nullptr, 0)) next = resolve_next(id);
    return reinterpret_cast<Function>(next);
}

}  // namespace waywiser::profile
