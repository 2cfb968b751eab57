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

void Channel::grow(std::uint32_t wanted) {
    if (is_far != 0 && wanted - first < far->size()) return;
    std::size_t room = 4;
    while (wanted - first >= room) room *= 2;
    auto larger = std::make_unique<Far>(room);
    for (std::uint32_t i = first; i < std::max(sent, claimed) && i < wanted; ++i) {
        (*larger)[i & (room - 1)] = {message(i), path(i)};
    }
    far = std::move(larger);
    is_far = 1;
}

}  // namespace waywiser::simulate
