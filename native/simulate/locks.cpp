/// Locks of windows, where some are exclusive. A rank's part of a window has one lock, which serves requests in the
/// order in which they come.
///
/// Which request comes first is known once no rank can go on. Of the requests that are on their way, the earliest then
/// comes to its lock, since nothing that follows from it is earlier.
#include <algorithm>
#include <utility>

#include "simulate/replayer.hpp"

namespace waywiser::simulate {

/// The request is with the target after o + L, and the answer takes L back.
void Replayer::ask_for_lock(Actor& actor, const trace::Parameters& call, std::uint32_t target) {
    const Charge asks = charge(actor.rank, target, 0, machine::Protocol::eager);
    busy(actor, asks.overhead_ns);
    if (!common_.locks_exclude) return wait_until(actor, after_latency(actor.now, 2 * asks.latency_ns), 0);
    RankObject& over = *object_of(actor, call.object);
    epochs_of(over).locked.push_back(call.peer);
    const std::uint32_t context = objects_[over.job_object].context;
    if (free_lock_requests_.empty()) {
        free_lock_requests_.push_back(static_cast<std::uint32_t>(lock_requests_.size()));
        lock_requests_.emplace_back();
    }
    const std::uint32_t number = free_lock_requests_.back();
    free_lock_requests_.pop_back();
    lock_requests_[number] = {.lock = &locks_[{context, target}],
                              .rank = actor.rank,
                              .exclusive = mpi::is_exclusive(call.detail),
                              .latency_ns = asks.latency_ns,
                              .there = after_latency(actor.now, asks.latency_ns),
                              .answer = {}};
    asked_.emplace(lock_requests_[number].there.ns(), actor.rank, number);
    need(actor, nullptr, {Need::Kind::lock, number});
}

/// The lock is free a latency later.
void Replayer::give_back_lock(Actor& actor, const trace::Parameters& call) {
    RankObject& over = *object_of(actor, call.object);
    std::vector<std::int32_t>& locked = epochs_of(over).locked;
    const auto held = std::ranges::find(locked, call.peer);
    if (held == locked.end()) return;
    locked.erase(held);
    const auto target = peer_of(actor, call.object, call.peer);
    if (!target) return;
    WindowLock& lock = locks_[{objects_[over.job_object].context, *target}];
    const Charge tells = charge(actor.rank, *target, 0, machine::Protocol::eager);
    const Moment free = after_latency(actor.now, tells.latency_ns);
    lock.free = later(lock.free, free);
    if (lock.exclusive()) lock.free_to_share = free;
    lock.give_back(actor.rank);
    give(lock);
}

double Replayer::next_lock_ns() const {
    return asked_.empty() ? FlowSimulator::kEver_ns : std::get<0>(*asked_.begin());
}

/// Nobody can go on: the next request comes to its lock. \return whether there was one
bool Replayer::next_lock() {
    if (asked_.empty()) return false;
    const std::uint32_t number = std::get<2>(asked_.extract(asked_.begin()).value());
    const LockRequest& request = lock_requests_[number];
    request.lock->ask({.rank = request.rank, .exclusive = request.exclusive, .request = number});
    give(*request.lock);
    return true;
}

/// To the first in line, and to those behind it that share it.
void Replayer::give(WindowLock& lock) {
    while (const auto given = lock.give()) {
        LockRequest& first = lock_requests_[given->request];
        const Moment& free = first.exclusive ? lock.free : lock.free_to_share;
        first.freed_ns = free.ns() > first.there.ns() ? free.ns() : 0;
        first.answer = after_latency(later(first.there, free), first.latency_ns);
        first.given = true;
        wake(first.waiter);
    }
}

}  // namespace waywiser::simulate
