/// Long messages: their handshakes proceed at once, or only while the processor whose turn it is is within an MPI call.
#include <algorithm>
#include <utility>

#include "simulate/replayer.hpp"

namespace waywiser::simulate {

/// Begins the handshake of a rendezvous.
Need Replayer::request(Actor& actor, std::uint32_t number, const Charge& costs, std::uint64_t bytes) {
    const std::uint32_t made = make_handshake(number, costs, bytes);
    Handshake& handshake = handshakes_[made];
    handshake.begin_ns = actor.now.ns();
    busy(actor, costs.request_ns);
    handshake.request = after_latency(actor.now, costs.flight_ns);
    handshake.slot = actor.now;
    handshake.sending = actor.number;
    count_open(actor, 1);
    if (!settings_.share_nic) {
        // The slot is the message's place in the order of the rank's messages; the grant may come later.
        Moment& nic = nic_of(actor);
        handshake.slot = later(actor.now, nic);
        nic = after_transfer(handshake.slot, costs.gap_ns + costs.transfer_ns);
    }
    if ((number & kAway) != 0) {
        mail_.request(number, handshake, made);
    } else {
        put_request(number, made);
    }
    return {Need::Kind::sent, made};
}

void Replayer::put_request(std::uint32_t number, std::uint32_t made) {
    Channel& channel = channels_[number];
    const std::uint32_t sent = channel.sent;
    Message& message = channel.next(channel.sent);
    const std::uint32_t receiver = std::exchange(message.handshake, made);
    Handshake& handshake = handshakes_[made];
    message.busy_ns = handshake.charge.busy_ns;
    handshake.channel = number;
    handshake.number = sent;
    if (channel.claimed > sent) settle(made, receiver, Moment(message.available));
    schedule_.wake(channel.waiter);
}

/// The receive is posted: what follows can be said as soon as it is known when both sides are within MPI.
void Replayer::settle(std::uint32_t number, std::uint32_t receiver, const Moment& posted) {
    Handshake& handshake = handshakes_[number];
    handshake.posted_ns = posted.ns();
    handshake.receiving = receiver;
    handshake.stage = Handshake::Stage::requested;
    handshake.ready = later(handshake.request, posted);
    if (in_calls_) return proceed(number);
    grant(handshake, handshake.ready);
    transfer(number, handshake.ready);
}

/// The receiver's answer is on its way.
void Replayer::grant(Handshake& handshake, const Moment& at) {
    const Charge& costs = handshake.charge;
    handshake.ready = after_latency(after_overhead(at, costs.request_ns), costs.flight_ns);
    handshake.stage = Handshake::Stage::granted;
}

/// The grant is there, and the sender goes on with the data.
void Replayer::transfer(std::uint32_t number, const Moment& granted) {
    Handshake& handshake = handshakes_[number];
    const Charge& costs = handshake.charge;
    const ChannelKey& ends = ends_of(handshake.channel);
    const Moment start = later(after_overhead(granted, costs.overhead_ns), handshake.slot);
    Moment free_nic;
    const Moment there = shares_nic(ends.source, ends.destination)
                             ? transmit_shared(start, costs, ends.source, ends.destination)
                             : transmit(free_nic, start, costs);
    handshake.left = after_latency(there, -costs.latency_ns);
    const Moment available = after_transfer(there, -costs.overlap_ns);
    const auto flight_ns = static_cast<float>(available.ns() - handshake.begin_ns);
    if ((handshake.channel & kAway) != 0) {
        mail_.to(handshake.other_part)
            .arrivals.push_back({.handshake = handshake.other_number, .available = available, .flight_ns = flight_ns});
        return leave(handshake);
    }
    Message& message = channels_[handshake.channel].message(handshake.number);
    message.available = available;
    message.flight_ns = flight_ns;
    if (take_off(handshake.channel, handshake.number, start.ns(), handshake.bytes, costs)) {
        handshake.stage = Handshake::Stage::flies;
        return;
    }
    message.handshake = kNothing;
    schedule_.wake(handshake.receiver);
    if (handshake.other_part == kNothing) return leave(handshake);
    mail_.to(handshake.other_part)
        .lefts.push_back(
            {.handshake = handshake.other_number, .left = handshake.left, .posted_ns = handshake.posted_ns});
    handshakes_.release(number);
}

/// The time at which the data have left is known, so that the sender can go on.
void Replayer::leave(Handshake& handshake) {
    handshake.stage = Handshake::Stage::over;
    schedule_.wake(handshake.sender);
}

/// If it is known when: else once whose turn it is parks in a call, or leaves one.
/// \param first  nothing that is still to happen is earlier
void Replayer::proceed(std::uint32_t number, bool first) {
    Handshake& handshake = handshakes_[number];
    const bool grants = handshake.stage == Handshake::Stage::requested;
    Actor& turn = actors_[grants ? handshake.receiving : handshake.sending];
    const std::optional<Moment> at = within_call(turn, handshake.ready, first || needs_handshake(turn, number));
    if (!at) {
        if (std::ranges::find(turn.handshakes, number) == turn.handshakes.end()) {
            turn.handshakes.push_back(number);
            ++waiting_handshakes_;
        }
        return;
    }
    waiting_handshakes_ -= std::erase(turn.handshakes, number);
    if (!grants) return transfer(number, *at);
    grant(handshake, *at);
    if (handshake.other_part == kNothing) return proceed(number);
    mail_.to(handshake.other_part)
        .grants.push_back({.handshake = handshake.other_number,
                           .receivers = number,
                           .ready = handshake.ready,
                           .posted_ns = handshake.posted_ns});
}

/// The first moment from `ready` on at which the actor is within a call; none if that is not known yet.
/// \param stays  in the call that it is in, which is none of those that are over, until then
std::optional<Moment> Replayer::within_call(const Actor& actor, const Moment& ready, bool stays) {
    if (actor.is_agent) return ready;
    const auto call = std::ranges::lower_bound(actor.calls, ready.ns(), {}, &CallSpan::end_ns);
    if (call != actor.calls.end()) return later(ready, call->begin);
    if (!stays && ready.ns() > actor.begin.ns()) return std::nullopt;
    return later(ready, actor.begin);
}

/// The actor does not leave the call that it is in before the handshake is over. Needs that are met do not count:
/// another handshake may have the number of theirs.
bool Replayer::needs_handshake(const Actor& actor, std::uint32_t number) const {
    const Handshake& handshake = handshakes_[number];
    return std::ranges::any_of(std::span(actor.needs).subspan(actor.at), [&](const Need& need) {
        if (need.kind() == Need::Kind::sent) return need.index() == number;
        return need.kind() == Need::Kind::message && need.index() == handshake.channel &&
               need.number() == handshake.number;
    });
}

/// Proceeds with the handshakes that wait for a call of the actor, which is parked in a call or has left it.
void Replayer::proceed_in_call(const Actor& actor) {
    const std::vector<std::uint32_t> waiting = actor.handshakes;
    for (const std::uint32_t number : waiting) proceed(number);
}

/// The actor's call is over: what was to be done while it lasted has been.
void Replayer::remember_call(Actor& actor, const Moment& begin, double end_ns) {
    if (actor.open == 0) actor.calls.clear();
    actor.calls.push_back({.begin = begin, .end_ns = end_ns});
    if (!actor.handshakes.empty()) proceed_in_call(actor);
}

/// All are parked: calls `visit(number, at_ns)` for each handshake that goes on then, unless the call that its actor is
/// in is over before. Of an actor whose calls are all over, none does.
template <class Visit>
void Replayer::each_handshake(Visit visit) const {
    if (waiting_handshakes_ == 0) return;
    for (std::uint32_t i = 0; i < streams_; ++i) {
        const Actor& actor = actors_[i];
        if (!actor.in_call) continue;
        for (const std::uint32_t number : actor.handshakes) visit(number, handshakes_[number].ready.ns());
    }
}

/// The first of them.
std::optional<Replayer::NextHandshake> Replayer::next_handshake() const {
    std::optional<NextHandshake> next;
    each_handshake([&](std::uint32_t number, double at_ns) {
        if (!next || at_ns < next->at_ns) next = {.number = number, .at_ns = at_ns};
    });
    return next;
}

/// The first rank to leave is the sender of a handshake that goes on, once its data have left. The data come to the
/// receiver later, and the receiver has still to do any of its work that overlaps with the transfer.
double Replayer::quiet_until_ns() const {
    double quiet_ns = locks_.next_ns();
    each_handshake([&](std::uint32_t number, double at_ns) {
        const Handshake& handshake = handshakes_[number];
        const Charge& costs = handshake.charge;
        if (handshake.stage == Handshake::Stage::requested) at_ns += costs.request_ns + costs.flight_ns;
        quiet_ns = std::min(quiet_ns, at_ns + costs.overhead_ns + costs.transfer_ns);
    });
    return quiet_ns;
}

/// \return whether there are any
bool Replayer::proceed_until(double quiet_ns) {
    std::vector<std::uint32_t> first;
    each_handshake([&](std::uint32_t number, double at_ns) {
        if (at_ns <= quiet_ns) first.push_back(number);
    });
    for (const std::uint32_t number : first) proceed(number, true);
    return !first.empty();
}

std::uint32_t Replayer::make_handshake(std::uint32_t channel, const Charge& charge, std::uint64_t bytes) {
    const std::uint32_t made = handshakes_.acquire();
    Handshake& handshake = handshakes_[made];
    handshake.channel = channel;
    handshake.bytes = bytes;
    handshake.charge = charge;
    handshake.stage = Handshake::Stage::sent;
    handshake.sender = handshake.receiver = handshake.other_part = kNothing;
    return made;
}

}  // namespace waywiser::simulate
