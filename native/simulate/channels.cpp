#include "simulate/channels.hpp"

#include <algorithm>

namespace waywiser::simulate {

std::uint32_t Channels::number(const ChannelKey& key) {
    std::uint32_t& number = numbers_[key];
    if (number == 0) {
        if (keys_.size() % kBlock == 0) blocks_.push_back(std::make_unique<Block>());
        keys_.push_back(key);
        number = static_cast<std::uint32_t>(keys_.size());
    }
    return number - 1;
}

void Channels::take(std::uint32_t number, std::uint32_t of) {
    Channel& channel = (*this)[number];
    message(number, of).handshake = Message::kTaken;
    while (channel.first < channel.sent && channel.first < channel.claimed) {
        Message& first = message(number, channel.first);
        if (first.handshake != Message::kTaken) return;
        first.handshake = kNothing;
        channel.first = (channel.first + 1U) & 0x7FFFFFFFU;
    }
}

void Channels::grow(std::uint32_t number, std::uint32_t wanted) {
    Channel& channel = (*this)[number];
    std::unique_ptr<Far>& known = rest(number).far;
    if (channel.far != 0 && wanted - channel.first < known->size()) return;
    std::size_t room = 4;
    while (wanted - channel.first >= room) room *= 2;
    auto larger = std::make_unique<Far>(room);
    for (std::uint32_t i = channel.first; i < std::max(channel.sent, channel.claimed) && i < wanted; ++i) {
        (*larger)[i & (room - 1)] = {message(number, i), path(number, i)};
    }
    known = std::move(larger);
    channel.far = 1;
}

}  // namespace waywiser::simulate
