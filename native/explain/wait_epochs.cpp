/// What partners of a window, a file or a neighbourhood need of each other, as if they sent each other empty messages.
#include <algorithm>
#include <limits>
#include <utility>

#include "explain/wait_analysis.hpp"

namespace waywiser::explain {

using trace::Action;
using trace::Parameters;

namespace {

Epochs& epochs_of(RankObject& object) {
    if (!object.epochs) object.epochs = std::make_unique<Epochs>();
    return *object.epochs;
}

}  // namespace

/// The call needs what another rank tells it.
void WaitAnalyser::expect(StreamState& stream, std::int32_t object, std::int32_t from, std::int32_t tag,
                          const Need& kind, std::vector<Need>& needs) {
    const std::size_t before = needs.size();
    post_receive(stream, object, {.source = from, .tag = tag}, posted_by(stream), needs);
    if (needs.size() == before) return;
    Need& need = needs.back();
    need.object = static_cast<std::uint32_t>(object);
    need.optional = kind.optional;
    need.wait = kind.wait;
    need.peer = from;
}

/// What calls of the epoch before have ended without, this one may wait for.
void WaitAnalyser::resume(Epochs& epochs, std::int32_t target, std::vector<Need>& needs) {
    std::erase_if(epochs.open, [&](const Need& need) {
        if (!mpi::same_or_any(need.peer, target)) return false;
        needs.push_back(need);
        return true;
    });
}

/// MPI_Win_lock may return before the lock is held: the first call that is sure to hold it may wait as well.
void WaitAnalyser::seek_locks(StreamState& stream, std::int32_t object, std::int32_t target, std::vector<Need>& needs) {
    RankObject& over = *object_of(stream.rank, object);
    for (const Lock& lock : over.epochs->locks) {
        if (lock.held || !mpi::same_or_any(lock.target, target)) continue;
        needs.push_back({.kind = Need::Kind::unlocked,
                         .index = over.group,
                         .number = lock.exclusive ? 1U : 0U,
                         .object = static_cast<std::uint32_t>(object),
                         .peer = lock.target});
    }
}

/// Who has waited for a lock has it.
void WaitAnalyser::hold(std::uint32_t rank, const Need& wanted) {
    for (Lock& lock : ranks_[rank].objects[wanted.object].epochs->locks) {
        lock.held = lock.held || lock.target == wanted.peer;
    }
}

void WaitAnalyser::give_back(StreamState& stream, std::int32_t object, std::int32_t target) {
    RankObject& over = *object_of(stream.rank, object);
    std::vector<Lock>& locks = over.epochs->locks;
    const auto lock = std::ranges::find(locks, target, &Lock::target);
    if (lock == locks.end()) return;
    LockOrder& order = locks_[over.group];
    if (order.full()) {
        Clock oldest_ns = std::numeric_limits<Clock>::max();
        for (const StreamState& other : streams_) {
            if (!other.finished) oldest_ns = std::min(oldest_ns, other.begin_ns);
        }
        order.forget(oldest_ns, paths_);
    }
    order.add({.target = target,
               .exclusive = lock->exclusive,
               .rank = stream.rank,
               .stream = stream.number,
               .begin_ns = stream.begin_ns,
               .call = stream.history->end() - 1,
               .point = paths_.here(stream.number)});
    locks.erase(lock);
}

/// What a call does to epochs, as the analysis sees it.
struct WaitAnalyser::EpochCall {
    WaitAnalyser& analysis;
    StreamState& stream;
    const Parameters& call;
    Epochs& epochs;
    std::int32_t target;

    void notify(std::int32_t member, mpi::EpochSignal signal) {
        const std::size_t before = stream.needs.size();
        analysis.post_send(stream, {.function = call.function, .object = call.object, .peer = member, .tag = signal},
                           stream.needs);
        if (signal == mpi::kCompleted && stream.needs.size() > before) {
            analysis.messages_[stream.needs.back().index].ready_ns = epochs.operated_ns;
        }
    }
    void await(std::int32_t member, mpi::EpochSignal signal) {
        const bool begins = signal == mpi::kPosted;
        analysis.expect(stream, call.object, member, signal,
                        {.optional = begins, .wait = begins ? Wait::late_post : Wait::early_wait}, stream.needs);
    }
    void end_access() { analysis.resume(epochs, trace::kAny, stream.needs); }
    void lock() {
        epochs.locks.push_back({.target = target, .exclusive = mpi::is_exclusive(call.detail), .held = false});
        analysis.seek_locks(stream, call.object, target, stream.needs);
    }
    void flush() {
        analysis.seek_locks(stream, call.object, target, stream.needs);
        for (Lock& lock : epochs.locks) lock.held = lock.held || mpi::same_or_any(lock.target, target);
    }
    void unlock() {
        analysis.seek_locks(stream, call.object, target, stream.needs);
        analysis.give_back(stream, call.object, target);
    }
};

void WaitAnalyser::follow_epoch(StreamState& stream, const Parameters& call) {
    const Epoch epoch = operations_[call.function].epoch;
    RankObject* over = object_of(stream.rank, call.object);
    if (over == nullptr || !call.found) return;
    const bool begins = epoch == Epoch::post || epoch == Epoch::start || epoch == Epoch::lock;
    if (!over->epochs && !begins && epoch != Epoch::begin_split) {
        if (epoch != Epoch::none) ++not_followed_;
        return;
    }
    Epochs& epochs = epochs_of(*over);
    const std::int32_t target = call.peer < 0 ? trace::kAny : call.peer;
    const bool operates = epoch == Epoch::none && call.action == Action::rma;
    if (operates || epoch == Epoch::start) epochs.operated_ns = stream.end_ns;
    if (operates || epoch == Epoch::end_split) return resume(epochs, target, stream.needs);
    mpi::follow_epoch(epoch, epochs.with, mpi::ranks_of(call.counts), EpochCall{*this, stream, call, epochs, target});
}

void WaitAnalyser::meet_neighbours(StreamState& stream, const Envelope& envelope, std::vector<Need>& needs) {
    const RankObject* over = object_of(stream.rank, envelope.object);
    if (over == nullptr) return;
    if (!over->neighbours) {
        if (envelope.bytes > 0) ++not_followed_;
        return;
    }
    const std::shared_ptr<const mpi::Neighbours> neighbours = over->neighbours;
    for (const std::int32_t to : neighbours->out) {
        post_send(stream, {.function = envelope.function, .object = envelope.object, .peer = to, .tag = kToNeighbour},
                  needs);
    }
    for (const std::int32_t from : neighbours->in) {
        expect(stream, envelope.object, from, kToNeighbour, {}, needs);
    }
}

/// Whether a later call of the epoch may wait for what this one has ended without.
bool WaitAnalyser::put_off(const StreamState& stream, const Need& need) {
    if (came(stream, need)) return false;
    const Parameters& call = stream.cursor.parameters();
    const Epoch epoch = operations_[call.function].epoch;
    if (epoch != Epoch::start && epoch != Epoch::begin_split && call.action != Action::rma) return false;
    epochs_of(ranks_[stream.rank].objects[need.object]).open.push_back(need);
    return true;
}

}  // namespace waywiser::explain
