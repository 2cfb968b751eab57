/// Messages between ranks that two threads evaluate.
#include <utility>

#include "simulate/replayer.hpp"

namespace waywiser::simulate {

const ChannelKey& Replayer::ends_of(std::uint32_t channel) const {
    return (channel & kAway) != 0 ? away_.key(channel) : channels_.key(channel);
}

void Replayer::send_away(std::uint32_t channel, const Message& message) {
    const AwayChannels::Away& to = away_[channel];
    letters_[to.part].messages.push_back({.channel = to.number, .message = message});
}

/// The receiver's part finds out when the data are granted, and reports when they have left. Where the data wait for
/// calls of the sender, the receiver's part reports when they are granted, and is told when they have arrived.
void Replayer::request_away(std::uint32_t channel, std::uint32_t number) {
    Letters& letters = letters_[away_[channel].part];
    const auto request = static_cast<std::uint32_t>(letters.requests.size());
    letters.requests.push_back(handshakes_[number]);
    letters.requests.back().other_part = part_.number;
    letters.requests.back().other_number = number;
    send_away(channel, {.available = {}, .handshake = request});
}

void Replayer::hand_over(Exchange& exchange) {
    for (std::uint32_t part = 0; part < letters_.size(); ++part) {
        if (letters_[part].empty()) continue;
        letters_[part].from = part_.number;
        exchange.post(part, std::exchange(letters_[part], {}));
    }
}

void Replayer::take_in(const Letters& letters) {
    std::vector<std::uint32_t>& channels = incoming_[letters.from];
    for (const ChannelKey& key : letters.channels) channels.push_back(channels_.number(key));
    for (const Letters::Sent& sent : letters.messages) {
        const std::uint32_t channel = channels[sent.channel];
        if (sent.message.handshake == kNothing) {
            put(channels_[channel], sent.message);
        } else {
            const std::uint32_t made = handshakes_.acquire();
            handshakes_[made] = letters.requests[sent.message.handshake];
            put_request(channel, made);
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
        wake(handshake.receiver);
        handshakes_.release(arrival.handshake);
    }
}

}  // namespace waywiser::simulate
