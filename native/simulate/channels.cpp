#include "simulate/channels.hpp"

#include <algorithm>

namespace waywiser::simulate {

void Channel::grow() {
    auto larger = std::make_unique<std::vector<Message>>(2 * (far_ ? far_->size() : near_.size()));
    for (std::uint32_t i = first_; i < std::max(sent, claimed); ++i) (*larger)[i & (larger->size() - 1)] = (*this)[i];
    far_ = std::move(larger);
}

std::uint32_t Channels::number(const ChannelKey& key) {
    std::uint32_t& number = numbers_[key];
    if (number == 0) {
        if (keys_.size() % kBlock == 0) blocks_.push_back(std::make_unique<Channel[]>(kBlock));
        keys_.push_back(key);
        number = static_cast<std::uint32_t>(keys_.size());
    }
    return number - 1;
}

}  // namespace waywiser::simulate
