/// One-sided communication: operations need the processor of their origin only, and end with the epoch.
#include <algorithm>
#include <utility>

#include "virtual/rank.hpp"

namespace waywiser::virtual_clocks {

namespace {

/// Tags for signals between epochs, which no message of the program has.
std::int32_t tag_of(const Window& window, mpi::EpochSignal signal) {
    return -2 * window.number - (signal == mpi::kPosted ? 10 : 11);
}

}  // namespace

void Rank::make_window(const TraceKey& key) {
    const std::shared_ptr<ShadowCommunicator> over = shadow(key.object);
    if (over == nullptr) return;
    shadows_[key.created] = over;
    Window& created = windows_[key.created] = {};
    created.over = over;
    created.number = over->number_window();
}

void Rank::operate(const TraceKey& key) {
    const std::shared_ptr<ShadowCommunicator> over = shadow(key.object);
    if (over == nullptr || key.peer < 0 || key.peer >= over->size()) return;
    const machine::Messages& of_target = costs(*over, key.peer);
    const machine::Charge out = of_target.charge(key.bytes, machine::Protocol::eager);
    double left_ns = 0;
    const Stamp stamp = send(clock_, out, key.bytes, left_ns);
    ++messages_;
    // The answer brings the data, or is an empty message that confirms their arrival.
    const machine::Charge back = of_target.charge(key.posted, machine::Protocol::eager);
    const double over_ns = stamp.arrival_ns + out.overlap_ns + back.latency_ns + back.transfer_ns;
    double& pending_ns = windows_[key.object].pending[key.peer];
    pending_ns = std::max(pending_ns, over_ns);
    if (key.request < 0) return;
    Request& created = request(key.request);
    created = {};
    created.over_ns = over_ns;
}

/// Waits for the operations on that target, or on all of them.
void Rank::flush(Window& window, std::int32_t target) {
    mpi::flush(window.pending, target, [&](double over_ns) { clock_.wait_until(over_ns, 0); });
}

/// The request arrives at the target after o + L, and the answer takes L back. Waiting at the target is determined when
/// the ranks meet.
void Rank::lock(Window& window, const TraceKey& key) {
    if (key.peer < 0 || key.peer >= window.over->size()) return;
    const machine::Charge request = costs(*window.over, key.peer).charge(0, machine::Protocol::eager);
    clock_.busy(request.overhead_ns);
    window.locked.push_back(key.peer);
    log_lock(window, key.peer,
             mpi::is_exclusive(key.detail) ? LockEvent::Kind::lock_exclusive : LockEvent::Kind::lock_shared);
    clock_.wait_until(clock_.now_ns + 2 * request.latency_ns, 0);
}

/// Releases the lock, which is free one latency later.
void Rank::unlock(Window& window, std::int32_t target) {
    if (std::erase(window.locked, target) > 0) log_lock(window, target, LockEvent::Kind::unlock);
}

void Rank::log_lock(const Window& window, std::int32_t target, LockEvent::Kind kind) {
    const double latency_ns = costs(*window.over, target).charge(0, machine::Protocol::eager).latency_ns;
    window.over->locks().add(
        {.there_ns = clock_.now_ns + latency_ns, .number = window.number, .peer = target, .kind = kind},
        travels_.stamps);
    if (kind != LockEvent::Kind::unlock) delayed_in_ = calling_;
}

/// Logs the arrival of a message whose sender or receiver may have waited at a lock before.
void Rank::log_receive(ShadowCommunicator& over, int from, const machine::Charge& charge, const Stamp& stamp,
                       double posted_ns) {
    LockLog& log = over.locks();
    if (stamp.meeting != log.meeting || (stamp.lock_events == 0 && log.count == 0)) return;
    const double after_ns = arrival_ns(charge, stamp, posted_ns) - std::max(stamp.arrival_ns, posted_ns);
    const bool eager = stamp.handshake == 0;
    log.add({.there_ns = eager ? clock_.now_ns : std::max(clock_.now_ns, posted_ns + after_ns),
             .came_ns = eager ? stamp.arrival_ns : stamp.arrival_ns + after_ns,
             .number = static_cast<std::int32_t>(stamp.lock_events),
             .peer = from,
             .kind = LockEvent::Kind::receive},
            travels_.stamps);
    delayed_in_ = calling_;
}

/// True if no rank leaves a call before all have entered it, and some may have waited at a lock since the last such
/// call; the same on all ranks.
bool Rank::settles_locks(const TraceKey& key, const Function& function) const {
    const bool meets = function.role.role == mpi::Role::fence || function.operation == "Win_free" ||
                       function.operation == "Barrier" || (function.operation == "Allreduce" && key.bytes > 0);
    if (!meets || key.request >= 0) return false;
    const auto over = shadows_.find(key.object);
    return over != shadows_.end() && !over->second->between_groups() &&
           std::ranges::any_of(windows_, [&](const auto& window) { return window.second.over == over->second; });
}

/// Called when all ranks have met: delays the clock as if ranks had waited at the locks. Rank 0 orders the events and
/// sends each rank its delay.
void Rank::settle_locks(ShadowCommunicator& over) {
    LockLog log = std::exchange(over.locks(), {});
    over.locks().meeting = log.meeting + 1;
    const bool notified_others = travels_.stamps != log.stamps + log.messages;
    const auto logs = over.await_starts(over.gather_starts({.sent = log.count, .posted = log.exclusive}));
    std::uint64_t events = 0;
    std::uint64_t exclusive = 0;
    for (const Start& of_rank : logs) {
        events += of_rank.sent;
        exclusive += of_rank.posted;
    }
    if (!logs.empty() && exclusive == 0) return;
    if (events > kMostLockEvents) return remark("locks of windows are taken as free: too many between two collectives");
    const double late_ns = late_by_locks_ns(over, logs, std::move(log.events));
    if (late_ns == 0) return;
    if (notified_others) {
        remark(
            "what a rank waits at a lock delays its collectives, and its messages over other communicators than the "
            "window's, from the next meeting of the window's ranks on");
    }
    clock_.wait_until(clock_.now_ns + late_ns, clock_.now_ns + late_ns);
    functions_[delayed_in_ - 1U].ns += late_ns;
    functions_[delayed_in_ - 1U].waiting_ns += late_ns;
}

double Rank::late_by_locks_ns(ShadowCommunicator& over, const std::vector<Start>& logs, std::vector<LockEvent> own) {
    if (over.rank() != 0) {
        over.send(0, ShadowCommunicator::Kind::lock, {});
        if (!travels_.lost() && !own.empty()) over.send(0, std::move(own));
        return over.receive(0, ShadowCommunicator::Kind::lock).sent_ns;
    }
    std::vector<std::vector<LockEvent>> of_ranks{std::move(own)};
    for (int rank = 1; rank < over.size() && !travels_.lost(); ++rank) {
        static_cast<void>(over.receive(rank, ShadowCommunicator::Kind::lock));
        const std::uint64_t events = travels_.lost() ? 0 : logs[static_cast<std::size_t>(rank)].sent;
        of_ranks.push_back(events > 0 ? over.receive_events(rank, events) : std::vector<LockEvent>{});
    }
    of_ranks.resize(static_cast<std::size_t>(over.size()));
    const std::vector<double> late_ns = delays_ns(of_ranks);
    for (int rank = 1; rank < over.size(); ++rank) {
        over.send(rank, ShadowCommunicator::Kind::lock, {.sent_ns = late_ns[static_cast<std::size_t>(rank)]});
    }
    return travels_.lost() ? 0 : late_ns.front();
}

/// The effect of a call on epochs, on the clock.
struct Rank::EpochCall {
    Rank& rank;
    Window& window;
    const TraceKey& key;
    double begin_ns;

    [[nodiscard]] machine::Charge charge(int member) const {
        return rank.costs(*window.over, member).charge(0, machine::Protocol::eager);
    }
    void notify(std::int32_t member, mpi::EpochSignal signal) {
        double left_ns = 0;
        Stamp stamp = send(rank.clock_, charge(member), 0, left_ns);
        stamp.tag = tag_of(window, signal);
        window.over->send(member, ShadowCommunicator::Kind::message, stamp);
        ++rank.messages_;
    }
    /// Waits for a partner in the call that begins or ends an epoch, where MPI may wait, too (MPI-4.1, section 12.5.2).
    void await(std::int32_t member, mpi::EpochSignal signal) {
        const machine::Charge costs = charge(member);
        const Stamp stamp = window.over->take({.source = member, .tag = tag_of(window, signal)});
        rank.log_receive(*window.over, member, costs, stamp, begin_ns);
        receive(rank.clock_, costs, stamp, begin_ns);
    }
    void end_access() { rank.flush(window, trace::kAny); }
    void flush() { rank.flush(window, key.peer); }
    void lock() { rank.lock(window, key); }
    void unlock() {
        flush();
        rank.unlock(window, key.peer);
    }
};

void Rank::synchronise(const TraceKey& key, const Function& function, double taken_ns) {
    const auto entry = windows_.find(key.object);
    if (entry == windows_.end()) {
        static_cast<void>(shadow(key.object));  // This call records the loss.
        return clock_.busy(taken_ns);
    }
    Window& window = entry->second;
    if (mpi::follow_epoch(function.role.epoch, window.with, numbers(key.counts),
                          EpochCall{*this, window, key, clock_.now_ns})) {
        return;
    }
    if (function.role.role != mpi::Role::fence) return;  // The call is MPI_Win_sync.
    flush(window, trace::kAny);
    collective(key, function, taken_ns);
}

}  // namespace waywiser::virtual_clocks
