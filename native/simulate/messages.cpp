/// What messages cost, and when they arrive.
#include <algorithm>
#include <utility>

#include "simulate/replayer.hpp"

namespace waywiser::simulate {

namespace {

const Moment& later(const Moment& a, const Moment& b) { return b.ns > a.ns ? b : a; }

Moment after_overhead(Moment moment, double ns) {
    moment.ns += ns;
    moment.path.overhead_ns += ns;
    return moment;
}

Moment after_latency(Moment moment, double ns) {
    moment.ns += ns;
    moment.path.latency_ns += ns;
    return moment;
}

Moment after_transfer(Moment moment, double ns) {
    moment.ns += ns;
    moment.path.transfer_ns += ns;
    return moment;
}

}  // namespace

Charge Replayer::charge(std::uint32_t from, std::uint32_t to, std::uint64_t bytes, trace::SendMode mode) const {
    const Messages& costs = ranks_[from].node == ranks_[to].node ? settings_.within : settings_.between;
    Charge charge = costs.charge(bytes, mode == trace::SendMode::synchronous);
    if (mode == trace::SendMode::local) charge.eager = true;
    return charge;
}

void Replayer::busy(Actor& actor, double ns) {
    actor.now = after_overhead(actor.now, ns);
    actor.times.overhead_ns += ns;
}

/// Idle until then; what lies before the partner's begin is waiting, the rest transfer.
void Replayer::wait_until(Actor& actor, const Moment& moment, double partner_ns) {
    const double idle_ns = moment.ns - actor.now.ns;
    if (idle_ns <= 0) return;
    const double waiting_ns = std::clamp(partner_ns - actor.now.ns, 0.0, idle_ns);
    actor.times.waiting_ns += waiting_ns;
    actor.call_waiting_ns += waiting_ns;
    actor.times.transfer_ns += idle_ns - waiting_ns;
    actor.now = moment;
}

void Replayer::send_eager(Actor& actor, const Charge& charge, Message& message) {
    const Moment begin = actor.now;
    busy(actor, charge.busy_ns);
    Moment& card = card_of(actor);
    const Moment leaves = later(after_overhead(begin, charge.overhead_ns), card);
    card = after_transfer(leaves, charge.gap_ns + charge.transfer_ns);
    const Moment last = later(after_transfer(leaves, charge.transfer_ns), actor.now);
    // Of its work, a receiver does this while the bytes are coming.
    message.available = after_transfer(after_latency(last, charge.latency_ns), -charge.overlap_ns);
    message.sent_ns = begin.ns;
    message.busy_ns = charge.busy_ns;
    message.handshake = kNothing;
}

Need Replayer::send(Actor& actor, std::uint32_t to, std::uint32_t number, std::uint64_t bytes, trace::SendMode mode) {
    const Charge costs = charge(actor.rank, to, bytes, mode);
    ++messages_;
    bytes_ += bytes;
    Channel& channel = channels_[number];
    channel.reserve(channel.sent);
    Message& message = channel[channel.sent];
    const bool expected = channel.claimed > channel.sent;
    Need need;
    if (costs.eager) {
        send_eager(actor, costs, message);
    } else {
        const std::uint32_t made = make_handshake();
        need = {.kind = Need::Kind::sent, .index = made};
        Handshake& handshake = handshakes_[made];
        handshake = {};
        handshake.charge = costs;
        handshake.channel = number;
        handshake.number = channel.sent;
        message.sent_ns = actor.now.ns;
        message.busy_ns = costs.busy_ns;
        message.handshake = made;
        busy(actor, costs.request_ns);
        handshake.request = after_latency(actor.now, costs.flight_ns);
        Moment& card = card_of(actor);
        handshake.slot = later(actor.now, card);
        card = after_transfer(handshake.slot, costs.gap_ns + costs.transfer_ns);
        if (expected) settle(handshake, Moment(message.available));
    }
    ++channel.sent;
    wake(channel.waiter);
    return need;
}

/// The receive is posted: from here on all times of the message are known.
void Replayer::settle(Handshake& handshake, const Moment& posted) {
    const Charge& costs = handshake.charge;
    Message& message = channels_[handshake.channel][handshake.number];
    const Moment granted =
        after_latency(after_overhead(later(handshake.request, posted), costs.request_ns), costs.flight_ns);
    const Moment start = later(after_overhead(granted, costs.overhead_ns), handshake.slot);
    handshake.left = after_transfer(start, costs.transfer_ns);
    handshake.posted_ns = posted.ns;
    handshake.over = true;
    message.available = after_transfer(after_latency(handshake.left, costs.latency_ns), -costs.overlap_ns);
    message.handshake = kNothing;
    wake(handshake.sender);
    wake(handshake.receiver);
}

/// A receive is posted: it takes the next message of the channel.
Need Replayer::claim(std::uint32_t number, const Moment& posted) {
    Channel& channel = channels_[number];
    const std::uint32_t claimed = channel.claimed++;
    channel.reserve(claimed);
    Message& message = channel[claimed];
    if (claimed >= channel.sent) {
        message.available = posted;
    } else if (message.handshake != kNothing) {
        settle(handshakes_[message.handshake], posted);
    }
    return {.kind = Need::Kind::message, .index = number, .number = claimed};
}

/// \return false if it is not known yet when the message arrives
bool Replayer::take(Actor& actor, std::uint32_t number, std::uint32_t of) {
    Channel& channel = channels_[number];
    if (of >= channel.sent) {
        channel.waiter = actor.number;
        return false;
    }
    const Message& message = channel[of];
    if (message.handshake != kNothing) {
        handshakes_[message.handshake].receiver = actor.number;
        return false;
    }
    wait_until(actor, message.available, message.sent_ns);
    busy(actor, message.busy_ns);
    channel.take(of);
    return true;
}

std::uint32_t Replayer::make_handshake() {
    if (free_handshakes_.empty()) {
        handshakes_.emplace_back();
        return static_cast<std::uint32_t>(handshakes_.size() - 1);
    }
    const std::uint32_t number = free_handshakes_.back();
    free_handshakes_.pop_back();
    return number;
}

}  // namespace waywiser::simulate
