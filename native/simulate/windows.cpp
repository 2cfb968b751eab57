/// One-sided communication: operations need the processor of their origin only, and end with the epoch.
#include <algorithm>
#include <utility>

#include "simulate/replayer.hpp"

namespace waywiser::simulate {

using trace::Epoch;
using trace::Parameters;

namespace {

std::vector<std::int32_t> ranks_in(std::span<const std::uint64_t> counts) { return {counts.begin(), counts.end()}; }

}  // namespace

void Replayer::operate(Actor& actor, const Parameters& call) {
    const auto target = peer_of(actor, call.object, call.peer);
    if (!target) return;
    const Charge out = charge(actor.rank, *target, call.bytes, machine::Protocol::eager);
    Moment over = send_eager(actor, out, *target);
    ++messages_;
    bytes_ += call.bytes;
    // Back come the data, or an empty message that says that they are there.
    over.add_transfer(out.overlap_ns);
    const Charge back = charge(*target, actor.rank, call.posted, machine::Protocol::eager);
    over.add_latency(back.latency_ns);
    over.add_transfer(back.transfer_ns);
    Moment& pending = epochs_of(*object_of(actor, call.object)).pending[call.peer];
    pending = later(pending, over);
    if (Need* request = make_request(actor, call.request); request != nullptr) {
        moments_.push_back(over);
        need(actor, request, {Need::Kind::moment, static_cast<std::uint32_t>(moments_.size() - 1)});
    }
}

/// Waits for the operations on that target, or on all of them.
void Replayer::flush(Actor& actor, Epochs& epochs, std::int32_t target) {
    std::erase_if(epochs.pending, [&](const auto& pending) {
        if (target >= 0 && pending.first != target) return false;
        wait_until(actor, pending.second, 0);
        return true;
    });
}

void Replayer::synchronise(Actor& actor, const Parameters& call) {
    RankObject* over = object_of(actor, call.object);
    if (over == nullptr) return remark("epochs of windows that the trace does not describe are left out");
    Epochs& epochs = epochs_of(*over);
    const std::uint32_t context = objects_[over->job_object].context;
    const auto tell = [&](std::int32_t member, std::int32_t tag) {
        if (const auto to = peer_of(actor, call.object, member)) {
            need(actor, nullptr,
                 send(actor, channel(context, tag, actor.rank, *to),
                      charge(actor.rank, *to, 0, machine::Protocol::eager), 0));
        }
    };
    const auto hear = [&](std::int32_t member, std::int32_t tag) {
        need(actor, nullptr, post_token(actor, context, call.object, member, tag));
    };
    switch (functions_[call.function].role.epoch) {
        case Epoch::post:
            epochs.origins = ranks_in(call.counts);
            for (const std::int32_t origin : epochs.origins) tell(origin, kPosted);
            return;
        case Epoch::start:
            epochs.targets = ranks_in(call.counts);
            for (const std::int32_t target : epochs.targets) hear(target, kPosted);
            return;
        case Epoch::complete:
            flush(actor, epochs, trace::kAny);
            for (const std::int32_t target : std::exchange(epochs.targets, {})) tell(target, kCompleted);
            return;
        case Epoch::wait:
            for (const std::int32_t origin : std::exchange(epochs.origins, {})) hear(origin, kCompleted);
            return;
        case Epoch::lock: {
            if (const auto target = peer_of(actor, call.object, call.peer)) return ask_for_lock(actor, call, *target);
            if (common_.locks_exclude) {
                remark("MPI_Win_lock_all is taken as granted at once, also beside exclusive locks");
            }
            return;
        }
        case Epoch::unlock: flush(actor, epochs, call.peer); return give_back_lock(actor, call);
        case Epoch::flush: return flush(actor, epochs, call.peer);
        default: break;
    }
    if (functions_[call.function].role.role != trace::Role::fence) {
        return spend(actor, 0);  // MPI_Win_sync
    }
    flush(actor, epochs, trace::kAny);
    start_collective(actor, {.function = call.function, .object = call.object}, nullptr);
}

Need Replayer::post_token(Actor& actor, std::uint32_t context, std::int32_t object, std::int32_t member,
                          std::int32_t tag) {
    const auto from = peer_of(actor, object, member);
    return from ? claim(actor, channel(context, tag, *from, actor.rank), actor.now) : Need{};
}

}  // namespace waywiser::simulate
