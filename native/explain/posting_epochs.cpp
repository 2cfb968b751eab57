/// Needs between partners of a window, a file or a neighbourhood, modelled as empty messages.
#include <utility>

#include "explain/posting.hpp"

namespace waywiser::explain {

using trace::Action;
using trace::Parameters;

/// Adds the need for a signal from another rank.
void Posting::expect(const Stream& stream, std::int32_t object, std::int32_t from, std::int32_t tag, const Need& kind,
                     std::vector<Need>& needs) {
    const std::size_t before = needs.size();
    post_receive(stream, object, {.source = from, .tag = tag}, stream.posted(), needs);
    if (needs.size() == before) return;
    Need& need = needs.back();
    need.object = static_cast<std::uint32_t>(object);
    need.optional = kind.optional;
    need.wait = kind.wait;
    need.peer = from;
}

void Posting::hold(std::uint32_t rank, const Need& lock) { ranks_[rank].objects[lock.object].epochs->hold(lock.peer); }

/// The effect of a call on epochs in the analysis.
struct Posting::EpochCall {
    Posting& posting;
    Stream& stream;
    const Parameters& call;
    std::uint32_t group;
    Epochs& epochs;
    std::int32_t target;

    void notify(std::int32_t member, mpi::EpochSignal signal) {
        const std::size_t before = stream.needs.size();
        posting.post_send(stream, {.function = call.function, .object = call.object, .peer = member, .tag = signal},
                          stream.needs);
        if (signal == mpi::kCompleted && stream.needs.size() > before) {
            posting.messages_[stream.needs.back().index].ready_ns = epochs.operated_ns;
        }
    }
    void await(std::int32_t member, mpi::EpochSignal signal) {
        const bool begins = signal == mpi::kPosted;
        posting.expect(stream, call.object, member, signal,
                       {.optional = begins, .wait = begins ? Wait::late_post : Wait::early_wait}, stream.needs);
    }
    void end_access() { epochs.resume(trace::kAny, stream.needs); }
    void lock() {
        epochs.locks.push_back({.target = target, .exclusive = mpi::is_exclusive(call.detail), .held = false});
        seek_locks();
    }
    void flush() {
        seek_locks();
        epochs.hold_all(target);
    }
    void unlock() {
        seek_locks();
        const std::optional<Lock> lock = epochs.give_back(target);
        if (!lock) return;
        LockOrder& order = posting.in_flight_.unlocks[group];
        if (order.full()) order.forget(posting.reading_.oldest_call_ns(), posting.paths_);
        order.add({.target = target,
                   .exclusive = lock->exclusive,
                   .rank = stream.rank,
                   .stream = stream.number,
                   .begin_ns = stream.begin_ns,
                   .call = stream.history->end() - 1,
                   .point = posting.paths_.here(stream.number)});
    }
    /// Adds needs for locks. MPI_Win_lock may return before the lock is held, so the first call that certainly holds it
    /// may wait, too.
    void seek_locks() {
        epochs.seek_locks(target, [&](const Lock& lock) {
            stream.needs.push_back({.kind = Need::Kind::unlocked,
                                    .index = group,
                                    .number = lock.exclusive ? 1U : 0U,
                                    .object = static_cast<std::uint32_t>(call.object),
                                    .peer = lock.target});
        });
    }
};

void Posting::follow_epoch(Stream& stream, const Parameters& call) {
    const Epoch epoch = roles_[call.function].epoch;
    Object* over = object_of(stream.rank, call.object);
    if (over == nullptr || !call.found) return;
    const bool begins = epoch == Epoch::post || epoch == Epoch::start || epoch == Epoch::lock;
    if (!over->epochs && !begins && epoch != Epoch::begin_split) {
        if (epoch != Epoch::none) ++omissions_.not_followed;
        return;
    }
    Epochs& epochs = over->followed();
    const std::int32_t target = call.peer < 0 ? trace::kAny : call.peer;
    const bool operates = epoch == Epoch::none && call.action == Action::rma;
    if (operates || epoch == Epoch::start) epochs.operated_ns = stream.end_ns;
    if (operates || epoch == Epoch::end_split) return epochs.resume(target, stream.needs);
    mpi::follow_epoch(epoch, epochs.with, mpi::ranks_of(call.counts),
                      EpochCall{*this, stream, call, over->group, epochs, target});
}

void Posting::meet_neighbours(const Stream& stream, const Envelope& envelope, std::vector<Need>& needs) {
    const Object* over = object_of(stream.rank, envelope.object);
    if (over == nullptr) return;
    if (!over->neighbours) {
        if (envelope.bytes > 0) ++omissions_.not_followed;
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

bool Posting::put_off(const Stream& stream, const Need& need) {
    if (needs_.came(stream, need)) return false;
    const Parameters& call = stream.cursor.parameters();
    const Epoch epoch = roles_[call.function].epoch;
    if (epoch != Epoch::start && epoch != Epoch::begin_split && call.action != Action::rma) return false;
    ranks_[stream.rank].objects[need.object].followed().open.push_back(need);
    return true;
}

}  // namespace waywiser::explain
