/// One-sided communication: operations need the processor of their origin only, and end with the epoch.
#include <algorithm>
#include <utility>

#include "simulate/replayer.hpp"

namespace waywiser::simulate {

using trace::Parameters;

/// What a call does to epochs, as the replay does it.
struct Replayer::EpochCall {
    Replayer& replay;
    Actor& actor;
    const Parameters& call;
    RankObject& over;

    void tell(std::int32_t member, mpi::Token token) {
        const auto to = replay.peer_of(actor, call.object, member);
        if (!to) return;
        const std::uint32_t context = replay.objects_[over.job_object].context;
        replay.need(actor, nullptr,
                    replay.send(actor, replay.channel(context, token, actor.rank, *to),
                                replay.charge(actor.rank, *to, 0, machine::Protocol::eager), 0));
    }
    void hear(std::int32_t member, mpi::Token token) {
        const mpi::Selector from{.source = member, .tag = token};
        replay.need(actor, nullptr, replay.post_receive(actor, call.object, from, actor.now));
    }
    void end_access() { replay.flush(actor, *over.epochs, trace::kAny); }
    void flush() { replay.flush(actor, *over.epochs, call.peer); }
    void lock() {
        if (const auto target = replay.peer_of(actor, call.object, call.peer)) {
            replay.ask_for_lock(actor, call, *target);
        } else if (replay.common_.locks_exclude) {
            replay.remark("MPI_Win_lock_all is taken as granted at once, also beside exclusive locks");
        }
    }
    void unlock() {
        flush();
        replay.give_back_lock(actor, call);
    }
};

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
    mpi::flush(epochs.pending, target, [&](const Moment& over) { wait_until(actor, over, 0); });
}

void Replayer::synchronise(Actor& actor, const Parameters& call) {
    RankObject* over = object_of(actor, call.object);
    if (over == nullptr) return remark("epochs of windows that the trace does not describe are left out");
    Epochs& epochs = epochs_of(*over);
    const mpi::CallRole& role = functions_[call.function].role;
    if (mpi::follow_epoch(role.epoch, epochs.with, mpi::ranks_in(call.counts), EpochCall{*this, actor, call, *over})) {
        return;
    }
    if (role.role != mpi::Role::fence) {
        return spend(actor, 0);  // MPI_Win_sync
    }
    flush(actor, epochs, trace::kAny);
    start_collective(actor, {{.function = call.function, .object = call.object}}, nullptr);
}

}  // namespace waywiser::simulate
