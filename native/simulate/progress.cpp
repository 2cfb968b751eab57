/// Long messages: their handshakes proceed at once, or only while the rank that must act next is within an MPI call.
#include <algorithm>
#include <utility>

#include "simulate/point_to_point.hpp"

namespace waywiser::simulate {

/// Starts the handshake of a rendezvous.
Need PointToPoint::request(Actor& actor, std::uint32_t number, const Charge& costs, std::uint64_t bytes) {
    count(bytes);
    const std::uint32_t handshake_number = handshakes_.acquire();
    Handshake& handshake = handshakes_[handshake_number];
    handshake.stage = Handshake::Stage::sent;
    handshake.sender = handshake.receiver = handshake.other_part = kNothing;
    handshake.channel = number;
    handshake.bytes = bytes;
    handshake.charge = costs;
    handshake.begin_ns = actor.now.ns();
    actor.busy(costs.request_ns);
    handshake.request = after_latency(actor.now, costs.flight_ns);
    handshake.slot = actor.now;
    handshake.sending = actor.number;
    count_open(actor, 1);
    if (!settings_.share_nic) {
        // The slot is the message's place in the order of the rank's messages; the grant may come later.
        Timestamp& nic = nic_of(actor);
        handshake.slot = later(actor.now, nic);
        nic = after_transfer(handshake.slot, costs.gap_ns + costs.transfer_ns);
    }
    if ((number & kAway) != 0) {
        mail_.request(number, handshake, handshake_number);
    } else {
        put_request(number, handshake_number);
    }
    return {Need::Kind::sent, handshake_number};
}

void PointToPoint::put_request(std::uint32_t number, std::uint32_t handshake_number) {
    Channel& channel = channels_[number];
    const std::uint32_t sent = channel.sent;
    Message& message = channel.next(channel.sent);
    const std::uint32_t receiver = std::exchange(message.handshake, handshake_number);
    Handshake& handshake = handshakes_[handshake_number];
    message.busy_ns = handshake.charge.busy_ns;
    handshake.channel = number;
    handshake.number = sent;
    if (channel.claimed > sent) settle(handshake_number, receiver, Timestamp(message.available));
    schedule_.wake(channel.waiter);
}

/// Called when the receive is posted: the rest is determined once it is known when both sides are within MPI.
void PointToPoint::settle(std::uint32_t number, std::uint32_t receiver, const Timestamp& posted) {
    Handshake& handshake = handshakes_[number];
    if (handshake.stage == Handshake::Stage::flies) return;
    handshake.posted_ns = posted.ns();
    handshake.receiving = receiver;
    handshake.stage = Handshake::Stage::requested;
    handshake.ready = later(handshake.request, posted);
    if (in_calls_) return proceed(number);
    grant(handshake, handshake.ready);
    transfer(number, handshake.ready);
}

/// Sends the receiver's answer.
void PointToPoint::grant(Handshake& handshake, const Timestamp& at) {
    const Charge& costs = handshake.charge;
    handshake.ready = after_latency(after_overhead(at, costs.request_ns), costs.flight_ns);
    handshake.stage = Handshake::Stage::granted;
}

/// Called when the grant has arrived: the sender continues with the data.
void PointToPoint::transfer(std::uint32_t number, const Timestamp& granted) {
    Handshake& handshake = handshakes_[number];
    const Charge& costs = handshake.charge;
    const ChannelKey& ends = key(handshake.channel);
    const Timestamp start = later(after_overhead(granted, costs.overhead_ns), handshake.slot);
    Timestamp free_nic;
    const Timestamp there = shares_nic(ends.source, ends.destination)
                                ? transmit_shared(start, costs, ends.source, ends.destination)
                                : transmit(free_nic, start, costs);
    handshake.left = after_latency(there, -costs.latency_ns);
    const Timestamp available = after_transfer(there, -costs.overlap_ns);
    const auto flight_ns = static_cast<float>(available.ns() - handshake.begin_ns);
    if ((handshake.channel & kAway) != 0) {
        mail_.to(handshake.other_part)
            .arrivals.push_back({.handshake = handshake.other_number, .available = available, .flight_ns = flight_ns});
        return leave(handshake);
    }
    Message& message = channels_[handshake.channel].message(handshake.number);
    message.available = available;
    message.flight_ns = flight_ns;
    if (contention_ && cross(handshake.channel, handshake.number, start.ns(), handshake.bytes, costs)) {
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

/// Called when the time at which the data have left is known, so that the sender can continue.
void PointToPoint::leave(Handshake& handshake) {
    handshake.stage = Handshake::Stage::over;
    schedule_.wake(handshake.sender);
}

/// Proceeds with a handshake if the time is known; otherwise once the rank that must act next parks in a call or leaves
/// one.
/// \param first  true if no future event is earlier
void PointToPoint::proceed(std::uint32_t number, bool first) {
    Handshake& handshake = handshakes_[number];
    const bool grants = handshake.stage == Handshake::Stage::requested;
    Actor& turn = actors_[grants ? handshake.receiving : handshake.sending];
    const std::optional<Timestamp> at = within_call(turn, handshake.ready, first || needs_handshake(turn, number));
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
/// \param stays  true if the actor stays until then in its current call, which is not yet among `calls`
std::optional<Timestamp> PointToPoint::within_call(const Actor& actor, const Timestamp& ready, bool stays) {
    if (actor.is_agent) return ready;
    const auto call = std::ranges::lower_bound(actor.calls, ready.ns(), {}, &CallSpan::end_ns);
    if (call != actor.calls.end()) return later(ready, call->begin);
    if (!stays && ready.ns() > actor.begin.ns()) return std::nullopt;
    return later(ready, actor.begin);
}

/// True if the actor does not leave its current call before the handshake is complete. Met needs do not count, because
/// another handshake may have taken over their number.
bool PointToPoint::needs_handshake(const Actor& actor, std::uint32_t number) const {
    const Handshake& handshake = handshakes_[number];
    return std::ranges::any_of(std::span(actor.needs).subspan(actor.at), [&](const Need& need) {
        if (need.kind() == Need::Kind::sent) return need.index() == number;
        return need.kind() == Need::Kind::message && need.index() == handshake.channel &&
               need.number() == handshake.number;
    });
}

void PointToPoint::proceed_in_call(const Actor& actor) {
    const std::vector<std::uint32_t> waiting = actor.handshakes;
    for (const std::uint32_t number : waiting) proceed(number);
}

void PointToPoint::remember_call(Actor& actor, const CallSpan& call) {
    if (actor.open == 0) actor.calls.clear();
    actor.calls.push_back(call);
    if (!actor.handshakes.empty()) proceed_in_call(actor);
}

/// The handshakes that can proceed while all actors are parked, unless their actor's call is over before. Actors whose
/// calls are all over have none.
std::vector<std::uint32_t> PointToPoint::going_on() const {
    std::vector<std::uint32_t> handshakes;
    for (std::uint32_t i = 0; waiting_handshakes_ > 0 && i < actors_.size(); ++i) {
        const Actor& actor = actors_[i];
        if (actor.in_call) handshakes.insert(handshakes.end(), actor.handshakes.begin(), actor.handshakes.end());
    }
    return handshakes;
}

/// While all actors are parked, no actor leaves its call before this time, whichever handshakes proceed until then. The
/// first rank to leave is the sender of a handshake that proceeds, once its data have left. The data reach the receiver
/// later, and the receiver has still to do any of its work that overlaps with the transfer.
double PointToPoint::quiet_until_ns() const {
    double quiet_ns = FlowSimulator::kEver_ns;
    for (const std::uint32_t number : going_on()) {
        const Handshake& handshake = handshakes_[number];
        const Charge& costs = handshake.charge;
        double at_ns = handshake.ready.ns();
        if (handshake.stage == Handshake::Stage::requested) at_ns += costs.request_ns + costs.flight_ns;
        quiet_ns = std::min(quiet_ns, at_ns + costs.overhead_ns + costs.transfer_ns);
    }
    return quiet_ns;
}

/// \return true if there are any
bool PointToPoint::proceed_until(double quiet_ns) {
    std::vector<std::uint32_t> first = going_on();
    std::erase_if(first, [&](std::uint32_t number) { return handshakes_[number].ready.ns() > quiet_ns; });
    for (const std::uint32_t number : first) proceed(number, true);
    return !first.empty();
}

/// Takes in letters from ranks that other threads evaluate.
void PointToPoint::take_in(const Letters& letters) {
    std::vector<std::uint32_t>& channels = incoming_[letters.from];
    for (const ChannelKey& key : letters.channels) channels.push_back(channels_.number(key));
    for (const Letters::Sent& sent : letters.messages) {
        const std::uint32_t channel = channels[sent.channel];
        if (sent.message.handshake == kNothing) {
            put(channels_[channel], sent.message);
        } else {
            const std::uint32_t handshake_number = handshakes_.acquire();
            handshakes_[handshake_number] = letters.requests[sent.message.handshake];
            put_request(channel, handshake_number);
        }
    }
    for (const Letters::Left& left : letters.lefts) {
        Handshake& handshake = handshakes_[left.handshake];
        handshake.left = left.left;
        handshake.posted_ns = left.posted_ns;
        leave(handshake);
    }
    for (const Letters::Grant& grant : letters.grants) {
        Handshake& handshake = handshakes_[grant.handshake];
        handshake.other_part = letters.from;
        handshake.other_number = grant.receivers;
        handshake.posted_ns = grant.posted_ns;
        handshake.ready = grant.ready;
        handshake.stage = Handshake::Stage::granted;
        proceed(grant.handshake);
    }
    for (const Letters::Arrival& arrival : letters.arrivals) {
        Handshake& handshake = handshakes_[arrival.handshake];
        Message& message = channels_[handshake.channel].message(handshake.number);
        message.available = arrival.available;
        message.flight_ns = arrival.flight_ns;
        message.handshake = kNothing;
        schedule_.wake(handshake.receiver);
        handshakes_.release(arrival.handshake);
    }
}

}  // namespace waywiser::simulate
