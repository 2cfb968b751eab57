#include "explain/matching.hpp"

#include <utility>

namespace waywiser::explain {

std::uint32_t Matching::channel(const ChannelKey& key) {
    std::uint32_t& number = numbers_[key];
    if (number == 0) {
        channels_.push_back({.source = key.source, .destination = key.destination, .signals = key.tag <= mpi::kPosted});
        number = static_cast<std::uint32_t>(channels_.size());
    }
    return number - 1;
}

std::uint32_t Matching::queue(Channel& channel, std::uint32_t number, bool send) {
    std::uint32_t made = free_;
    if (made == kNothing) {
        made = static_cast<std::uint32_t>(messages_.size());
        messages_.emplace_back();
    } else {
        free_ = messages_[made].next;
    }
    messages_[made] = {.send = {}, .receive = {}, .channel = number};
    (channel.first == kNothing ? channel.first : messages_[channel.last].next) = made;
    channel.last = made;
    channel.sends = send;
    return made;
}

void Matching::forget(std::uint32_t message) {
    const std::uint32_t channel = std::exchange(messages_[message].channel, kNothing);
    if (channel == kNothing) return;
    Channel& queue = channels_[channel];
    std::uint32_t before = kNothing;
    for (std::uint32_t at = queue.first; at != message; at = messages_[at].next) before = at;
    (before == kNothing ? queue.first : messages_[before].next) = messages_[message].next;
    if (queue.last == message) queue.last = before;
}

std::uint64_t Matching::left(bool sends) const {
    std::uint64_t number = 0;
    for (const Channel& channel : channels_) {
        if (channel.sends != sends || channel.signals) continue;
        for (std::uint32_t at = channel.first; at != kNothing; at = messages_[at].next) ++number;
    }
    return number;
}

}  // namespace waywiser::explain
