/// Handshakes of long messages: at once, or only while the processor whose turn it is is within an MPI call.
#include <algorithm>

#include "simulate/replayer.hpp"

namespace waywiser::simulate {

/// The receive is posted: what follows can be said as soon as it is known when both sides are within MPI.
void Replayer::settle(std::uint32_t number, std::uint32_t receiver, const Moment& posted) {
    Handshake& handshake = handshakes_[number];
    handshake.posted_ns = posted.ns;
    handshake.receiving = receiver;
    handshake.stage = Handshake::Stage::requested;
    handshake.ready = posted.ns > handshake.request.ns ? posted : handshake.request;
    if (!settings_.asynchronous) {
        const Actor& turn = *actors_[receiver];
        return proceed(number, turn.in_call && needs_handshake(turn, number));
    }
    grant(handshake, handshake.ready);
    transfer(number, handshake.ready);
}

/// The receiver's answer is on its way.
void Replayer::grant(Handshake& handshake, const Moment& at) {
    const Charge& costs = handshake.charge;
    handshake.ready = at;
    handshake.ready.ns += costs.request_ns + costs.flight_ns;
    handshake.ready.path.overhead_ns += costs.request_ns;
    handshake.ready.path.latency_ns += costs.flight_ns;
    handshake.stage = Handshake::Stage::granted;
}

/// \param waits  whose turn it is does not leave its call before the handshake is over
void Replayer::proceed(std::uint32_t number, bool waits) {
    Handshake& handshake = handshakes_[number];
    const bool grants = handshake.stage == Handshake::Stage::requested;
    Actor& turn = *actors_[grants ? handshake.receiving : handshake.sending];
    const std::optional<Moment> at = within_call(turn, handshake.ready, waits);
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
    const Actor& sender = *actors_[handshake.sending];
    proceed(number, sender.in_call && needs_handshake(sender, number));
}

/// The first moment from `ready` on at which the actor is within a call; none if that is not known yet.
std::optional<Moment> Replayer::within_call(const Actor& actor, const Moment& ready, bool waits) const {
    if (actor.stream == kNothing) return ready;
    const auto call = std::ranges::lower_bound(actor.calls, ready.ns, {}, &CallSpan::end_ns);
    if (call != actor.calls.end()) return call->begin.ns > ready.ns ? call->begin : ready;
    if (!waits) return std::nullopt;
    return actor.begin.ns > ready.ns ? actor.begin : ready;
}

bool Replayer::needs_handshake(const Actor& actor, std::uint32_t number) const {
    const Handshake& handshake = handshakes_[number];
    return std::any_of(actor.needs.begin() + static_cast<std::ptrdiff_t>(std::min(actor.at, actor.needs.size())),
                       actor.needs.end(), [&](const Need& need) {
                           if (need.kind == Need::Kind::sent) return need.index == number;
                           return need.kind == Need::Kind::message && need.index == handshake.channel &&
                                  need.number == handshake.number;
                       });
}

/// The actor is parked in a call: handshakes that the call waits for go on while it does.
void Replayer::proceed_while_parked(Actor& actor) {
    const std::vector<std::uint32_t> waiting = actor.handshakes;
    for (const std::uint32_t number : waiting) {
        if (needs_handshake(actor, number)) proceed(number, true);
    }
}

/// The actor's call is over: what was to be done while it lasted has been.
void Replayer::remember_call(Actor& actor) {
    if (actor.open == 0) actor.calls.clear();
    actor.calls.push_back({.begin = actor.begin, .end_ns = actor.now.ns});
    const std::vector<std::uint32_t> waiting = actor.handshakes;
    for (const std::uint32_t number : waiting) proceed(number, false);
}

/// All are parked: of the handshakes that could go on in the calls that all are in, the first to.
std::optional<Replayer::NextHandshake> Replayer::next_handshake() const {
    std::optional<NextHandshake> next;
    if (waiting_handshakes_ == 0) return next;
    for (const auto& actor : actors_) {
        if (actor->finished || !actor->in_call) continue;
        for (const std::uint32_t number : actor->handshakes) {
            const double at_ns = std::max(handshakes_[number].ready.ns, actor->begin.ns);
            if (!next || at_ns < next->at_ns) next = {.number = number, .at_ns = at_ns};
        }
    }
    return next;
}

}  // namespace waywiser::simulate
