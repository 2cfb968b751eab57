/// Messages between ranks that two threads evaluate.
#include "simulate/replayer.hpp"

namespace waywiser::simulate {

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
        schedule_.wake(handshake.receiver);
        handshakes_.release(arrival.handshake);
    }
}

}  // namespace waywiser::simulate
