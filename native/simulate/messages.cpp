/// What messages cost, and when they arrive.
#include <algorithm>
#include <utility>

#include "simulate/replayer.hpp"

namespace waywiser::simulate {

namespace {

Moment later(const Moment& a, const Moment& b) { return b.ns > a.ns ? b : a; }

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

Charge Replayer::charge(std::uint32_t from, std::uint32_t to, std::uint64_t bytes, machine::Protocol protocol) const {
    const Messages& costs = ranks_[from].node == ranks_[to].node ? settings_.within : settings_.between;
    return costs.charge(bytes, protocol);
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

/// Puts a message's bytes on their way, from `ready` on.
/// \param to  kNothing: the switches
/// \return when the last one is there
Moment Replayer::transmit(Moment& card, const Moment& ready, const Charge& charge, std::uint32_t from,
                          std::uint32_t to) {
    const bool within = to != kNothing && ranks_[from].node == ranks_[to].node;
    if (!settings_.share_card || within) {
        const Moment leaves = later(ready, card);
        card = after_transfer(leaves, charge.gap_ns + charge.transfer_ns);
        return after_latency(after_transfer(leaves, charge.transfer_ns), charge.latency_ns);
    }
    const double length_ns = charge.gap_ns + charge.transfer_ns;
    const double leaves_ns = cards_[ranks_[from].card_number].out.take(ready.ns, length_ns);
    double comes_ns = leaves_ns + charge.latency_ns;
    if (to != kNothing) comes_ns = cards_[ranks_[to].card_number].in.take(comes_ns, length_ns);
    const double queued_ns = comes_ns - ready.ns - charge.latency_ns;
    return after_latency(after_transfer(ready, queued_ns + charge.transfer_ns), charge.latency_ns);
}

/// \return when the message's receiver can take it
Moment Replayer::send_eager(Actor& actor, const Charge& charge, std::uint32_t to) {
    const Moment begin = actor.now;
    busy(actor, charge.busy_ns);
    const Moment there = transmit(card_of(actor), after_overhead(begin, charge.overhead_ns), charge, actor.rank, to);
    // The last byte does not leave before the processor has copied it. Of its work, a receiver does a part while the
    // bytes are coming.
    return after_transfer(later(there, after_latency(actor.now, charge.latency_ns)), -charge.overlap_ns);
}

Need Replayer::send(Actor& actor, std::uint32_t number, const Charge& costs, std::uint64_t bytes) {
    ++messages_;
    bytes_ += bytes;
    if (!costs.eager) return request(actor, number, costs, bytes);
    const double begin_ns = actor.now.ns;
    const double leaves_ns = std::max(begin_ns + costs.overhead_ns, card_of(actor).ns);
    const Moment available = send_eager(actor, costs, to_of(number));
    Message message{.available_ns = available.ns,
                    .busy_ns = costs.busy_ns,
                    .flight_ns = static_cast<float>(available.ns - begin_ns)};
    if ((number & kAway) != 0) {
        send_away(number, message, available.path);
        return {};
    }
    if (const std::uint32_t way = way_of(number); way != kNothing && bytes > 0) {
        message.handshake = make_handshake(number, channels_[number].sent, costs, bytes);
        take_off(message.handshake, way, leaves_ns, costs);
    }
    put(number, message, available.path);
    return {};
}

/// Of a rendezvous.
Need Replayer::request(Actor& actor, std::uint32_t number, const Charge& costs, std::uint64_t bytes) {
    const std::uint32_t made = make_handshake(number, 0, costs, bytes);
    Handshake& handshake = handshakes_[made];
    handshake.charge = costs;
    handshake.begin_ns = actor.now.ns;
    busy(actor, costs.request_ns);
    handshake.request = after_latency(actor.now, costs.flight_ns);
    handshake.slot = actor.now;
    handshake.sending = actor.number;
    ++actor.open;
    if (!settings_.share_card) {
        // Its place in the order of the rank's messages; the grant may come later.
        Moment& card = card_of(actor);
        handshake.slot = later(actor.now, card);
        card = after_transfer(handshake.slot, costs.gap_ns + costs.transfer_ns);
    }
    if ((number & kAway) != 0) {
        request_away(number, made);
    } else {
        put_request(number, made);
    }
    return {.kind = Need::Kind::sent, .index = made};
}

/// The next message of a channel that leads to a rank of this part.
void Replayer::put(std::uint32_t number, const Message& message, const Path& path) {
    Channel& channel = channels_[number];
    channel.reserve(channel.sent);
    channel.message(channel.sent) = message;
    channel.path(channel.sent) = path;
    ++channel.sent;
    wake(channel.waiter);
}

void Replayer::put_request(std::uint32_t number, std::uint32_t made) {
    Channel& channel = channels_[number];
    const std::uint32_t sent = channel.sent;
    channel.reserve(sent);
    Message& message = channel.message(sent);
    const std::uint32_t receiver = std::exchange(message.handshake, made);
    Handshake& handshake = handshakes_[made];
    message.busy_ns = handshake.charge.busy_ns;
    handshake.channel = number;
    handshake.number = sent;
    if (channel.claimed > sent) settle(made, receiver, {message.available_ns, channel.path(sent)});
    ++channel.sent;
    wake(channel.waiter);
}

/// The grant is there, and the sender goes on with the data.
void Replayer::transfer(std::uint32_t number, const Moment& granted) {
    Handshake& handshake = handshakes_[number];
    const Charge& costs = handshake.charge;
    const ChannelKey& ends = channels_.key(handshake.channel);
    const Moment start = later(after_overhead(granted, costs.overhead_ns), handshake.slot);
    Moment free_card;
    const Moment there = transmit(free_card, start, costs, ends.source, ends.destination);
    handshake.left = there;
    handshake.left.ns -= costs.latency_ns;
    handshake.left.path.latency_ns -= costs.latency_ns;
    const Moment available = after_transfer(there, -costs.overlap_ns);
    Channel& channel = channels_[handshake.channel];
    Message& message = channel.message(handshake.number);
    message.available_ns = available.ns;
    message.flight_ns = static_cast<float>(available.ns - handshake.begin_ns);
    channel.path(handshake.number) = available.path;
    if (const std::uint32_t way = way_of(handshake.channel); way != kNothing) {
        return take_off(number, way, start.ns, costs);
    }
    message.handshake = kNothing;
    handshake.stage = Handshake::Stage::over;
    wake(handshake.receiver);
    if (handshake.home == kNothing) {
        wake(handshake.sender);
        return;
    }
    letters_[handshake.home].lefts.push_back(
        {.handshake = handshake.home_number, .left = handshake.left, .posted_ns = handshake.posted_ns});
    free_handshakes_.push_back(number);
}

/// A receive is posted: it takes the next message of the channel.
Need Replayer::claim(Actor& actor, std::uint32_t number, const Moment& posted) {
    ++actor.open;
    Channel& channel = channels_[number];
    const std::uint32_t claimed = channel.claimed++;
    channel.reserve(claimed);
    Message& message = channel.message(claimed);
    if (claimed >= channel.sent) {
        message.available_ns = posted.ns;
        message.handshake = actor.number;
        channel.path(claimed) = posted.path;
    } else if (message.handshake != kNothing && handshakes_[message.handshake].stage != Handshake::Stage::flies) {
        settle(message.handshake, actor.number, posted);
    }
    return {.kind = Need::Kind::message, .index = number, .number = claimed};
}

void Replayer::take(Actor& actor, Channel& channel, std::uint32_t number) {
    const Message& message = channel.message(number);
    const double idle_ns = message.available_ns - actor.now.ns;
    if (idle_ns > 0) {
        wait_until(actor, {message.available_ns, channel.path(number)},
                   message.available_ns - static_cast<double>(message.flight_ns));
    }
    busy(actor, message.busy_ns);
    --actor.open;
    channel.take(number);
}

std::uint32_t Replayer::free_handshake() {
    if (free_handshakes_.empty()) {
        free_handshakes_.push_back(static_cast<std::uint32_t>(handshakes_.size()));
        handshakes_.emplace_back();
    }
    const std::uint32_t number = free_handshakes_.back();
    free_handshakes_.pop_back();
    return number;
}

std::uint32_t Replayer::make_handshake(std::uint32_t channel, std::uint32_t number, const Charge& charge,
                                       std::uint64_t bytes) {
    const std::uint32_t made = free_handshake();
    Handshake& handshake = handshakes_[made];
    handshake.channel = channel;
    handshake.number = number;
    handshake.bytes = bytes;
    handshake.stage = Handshake::Stage::sent;
    handshake.eager = charge.eager;
    handshake.sender = handshake.receiver = handshake.home = kNothing;
    return made;
}

}  // namespace waywiser::simulate
