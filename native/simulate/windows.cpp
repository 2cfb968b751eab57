/// One-sided communication: operations need the processor of their origin only, and end with the epoch.
#include <algorithm>
#include <utility>

#include "simulate/replayer.hpp"

namespace waywiser::simulate {

using trace::Parameters;

/// The effect of a call on epochs in the replay.
struct Replayer::EpochCall {
    Replayer& replay;
    Actor& actor;
    const Parameters& call;
    RankObject& over;

    void notify(std::int32_t member, mpi::EpochSignal signal) {
        const auto to = replay.messages_.peer_of(actor, call.object, member);
        if (!to) return;
        const std::uint32_t channel = replay.messages_.channel({context(), signal, actor.rank, *to});
        actor.need(replay.messages_.send(actor, channel, charge_to(*to), 0));
    }
    void await(std::int32_t member, mpi::EpochSignal signal) {
        const mpi::Selector from{.source = member, .tag = signal};
        actor.need(replay.messages_.receive(actor, call.object, from, actor.now));
    }
    void end_access() { actor.flush(*over.epochs, trace::kAny); }
    void flush() { actor.flush(*over.epochs, call.peer); }
    /// The request reaches the target after o + L, and the answer takes L back.
    void lock() {
        const bool excludes = replay.common_.locks_exclude;
        const auto target = replay.messages_.peer_of(actor, call.object, call.peer);
        if (!target) {
            if (excludes) replay.remark("MPI_Win_lock_all is taken as granted at once, also beside exclusive locks");
            return;
        }
        const Charge request = charge_to(*target);
        actor.busy(request.overhead_ns);
        if (!excludes) return actor.wait_until(after_latency(actor.now, 2 * request.latency_ns), 0);
        over.epochs->locked.push_back(call.peer);
        const std::uint32_t number = replay.locks_.request({.lock = &lock_of(*target),
                                                            .rank = actor.rank,
                                                            .exclusive = mpi::is_exclusive(call.detail),
                                                            .latency_ns = request.latency_ns,
                                                            .there = after_latency(actor.now, request.latency_ns),
                                                            .answer = {}});
        actor.need({Need::Kind::lock, number});
    }
    /// The lock is free one latency later.
    void unlock() {
        flush();
        std::vector<std::int32_t>& locked = over.epochs->locked;
        const auto held = std::ranges::find(locked, call.peer);
        if (held == locked.end()) return;
        locked.erase(held);
        const auto target = replay.messages_.peer_of(actor, call.object, call.peer);
        if (!target) return;
        const Timestamp free = after_latency(actor.now, charge_to(*target).latency_ns);
        replay.locks_.release(lock_of(*target), actor.rank, free,
                              [&](LockRequest& granted) { replay.schedule_.wake(granted.waiter); });
    }
    [[nodiscard]] Charge charge_to(std::uint32_t rank) const {
        return replay.messages_.charge(actor.rank, rank, 0, machine::Protocol::eager);
    }
    [[nodiscard]] std::uint32_t context() const { return replay.common_.objects[over.job_object].context; }
    [[nodiscard]] WindowLock& lock_of(std::uint32_t rank) { return replay.locks_.of(context(), rank); }
};

/// Called when no actor is runnable: the next request arrives at its lock. \return true if there was one
bool Replayer::next_lock() {
    return locks_.arrive([&](LockRequest& granted) { schedule_.wake(granted.waiter); });
}

void Replayer::operate(Actor& actor, const Parameters& call) {
    const auto target = messages_.peer_of(actor, call.object, call.peer);
    if (!target) return;
    const Charge out = messages_.charge(actor.rank, *target, call.bytes, machine::Protocol::eager);
    Timestamp over = messages_.inject(actor, out, *target, call.bytes);
    // The answer brings the data, or is an empty message that confirms their arrival.
    over.add_transfer(out.overlap_ns);
    const Charge back = messages_.charge(*target, actor.rank, call.posted, machine::Protocol::eager);
    over.add_latency(back.latency_ns);
    over.add_transfer(back.transfer_ns);
    Timestamp& pending = epochs_of(*common_.object_of(actor, call.object)).pending[call.peer];
    pending = later(pending, over);
    if (Need* request = make_request(actor, call.request); request != nullptr) {
        timestamps_.push_back(over);
        need(actor, request, {Need::Kind::timestamp, static_cast<std::uint32_t>(timestamps_.size() - 1)});
    }
}

void Replayer::synchronise(Actor& actor, const Parameters& call) {
    RankObject* over = common_.object_of(actor, call.object);
    if (over == nullptr) return remark("epochs of windows that the trace does not describe are left out");
    Epochs& epochs = epochs_of(*over);
    const mpi::CallRole& role = functions_[call.function].role;
    if (mpi::follow_epoch(role.epoch, epochs.with, mpi::ranks_of(call.counts), EpochCall{*this, actor, call, *over})) {
        return;
    }
    if (role.role != mpi::Role::fence) {
        return;  // The call is MPI_Win_sync.
    }
    actor.flush(epochs, trace::kAny);
    start_collective(actor, {{.function = call.function, .object = call.object}}, nullptr);
}

}  // namespace waywiser::simulate
