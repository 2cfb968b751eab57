/// What partners of a window, a file or a neighbourhood need of each other, as if they sent each other empty messages.
#include <algorithm>
#include <limits>
#include <utility>

#include "explain/wait_analysis.hpp"

namespace waywiser::explain {

using trace::Action;
using trace::Parameters;

namespace {

bool overlap(std::int32_t a, std::int32_t b) { return a == b || a == trace::kAny || b == trace::kAny; }

std::vector<std::int32_t> ranks_in(std::span<const std::uint64_t> counts) {
    std::vector<std::int32_t> ranks(counts.size());
    std::ranges::transform(counts, ranks.begin(), [](std::uint64_t rank) { return static_cast<std::int32_t>(rank); });
    return ranks;
}

Epochs& epochs_of(RankObject& object) {
    if (!object.epochs) object.epochs = std::make_unique<Epochs>();
    return *object.epochs;
}

}  // namespace

/// The call needs what another rank tells it.
void WaitAnalyser::expect(StreamState& stream, std::int32_t object, std::int32_t from, std::int32_t tag,
                          const Need& kind, std::vector<Need>& needs) {
    const std::size_t before = needs.size();
    post_receive(stream, object, from, tag, posted_by(stream), needs);
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
        if (!overlap(need.peer, target)) return false;
        needs.push_back(need);
        return true;
    });
}

/// MPI_Win_lock may return before the lock is held: the first call that is sure to hold it may wait as well.
void WaitAnalyser::seek_locks(StreamState& stream, std::int32_t object, std::int32_t target, std::vector<Need>& needs) {
    RankObject& over = *object_of(stream.rank, object);
    for (const Lock& lock : over.epochs->locks) {
        if (lock.held || !overlap(lock.target, target)) continue;
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
    std::vector<Need>& needs = stream.needs;
    const std::int32_t target = call.peer < 0 ? trace::kAny : call.peer;
    switch (epoch) {
        case Epoch::none:
            if (call.action != Action::rma) return;
            epochs.operated_ns = stream.end_ns;
            return resume(epochs, target, needs);
        case Epoch::post:
            epochs.origins = ranks_in(call.counts);
            for (const std::int32_t origin : epochs.origins) {
                post_send(stream, {.function = call.function, .object = call.object, .peer = origin, .tag = kPosted},
                          needs);
            }
            return;
        case Epoch::start:
            epochs.targets = ranks_in(call.counts);
            epochs.operated_ns = stream.end_ns;
            for (const std::int32_t one : epochs.targets) {
                expect(stream, call.object, one, kPosted, {.optional = true, .wait = Wait::late_post}, needs);
            }
            return;
        case Epoch::complete:
            resume(epochs, trace::kAny, needs);
            for (const std::int32_t one : std::exchange(epochs.targets, {})) {
                const std::size_t before = needs.size();
                post_send(stream, {.function = call.function, .object = call.object, .peer = one, .tag = kCompleted},
                          needs);
                if (needs.size() > before) messages_[needs.back().index].ready_ns = epochs.operated_ns;
            }
            return;
        case Epoch::wait:
            for (const std::int32_t origin : std::exchange(epochs.origins, {})) {
                expect(stream, call.object, origin, kCompleted, {.optional = false, .wait = Wait::early_wait}, needs);
            }
            return;
        case Epoch::lock:
            epochs.locks.push_back({.target = target, .exclusive = call.detail == 1, .held = false});
            break;
        case Epoch::flush:
        case Epoch::unlock: break;
        case Epoch::begin_split: return;
        case Epoch::end_split: return resume(epochs, trace::kAny, needs);
    }
    seek_locks(stream, call.object, target, needs);
    if (epoch == Epoch::unlock) return give_back(stream, call.object, target);
    for (Lock& lock : epochs.locks) lock.held = lock.held || (epoch == Epoch::flush && overlap(lock.target, target));
}

/// The neighbours of a communicator are in the call that makes it: those that the rank receives from come first,
/// and `detail` is their number.
void WaitAnalyser::learn_neighbours(std::uint32_t rank, const Parameters& call) {
    RankObject* made = object_of(rank, call.created);
    if (made == nullptr) return;
    made->neighbours = nullptr;
    if (operations_[call.function].duplicates) {
        if (const RankObject* original = object_of(rank, call.object)) made->neighbours = original->neighbours;
    } else if (!call.counts.empty()) {
        const auto in =
            std::min<std::size_t>(static_cast<std::size_t>(std::max<std::int64_t>(0, call.detail)), call.counts.size());
        made->neighbours = std::make_shared<Neighbours>(
            Neighbours{.in = ranks_in(call.counts.first(in)), .out = ranks_in(call.counts.subspan(in))});
    }
}

void WaitAnalyser::meet_neighbours(StreamState& stream, const Envelope& envelope, std::vector<Need>& needs) {
    const RankObject* over = object_of(stream.rank, envelope.object);
    if (over == nullptr) return;
    if (!over->neighbours) {
        if (envelope.bytes > 0) ++not_followed_;
        return;
    }
    const std::shared_ptr<const Neighbours> neighbours = over->neighbours;
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
