#include "simulate/channels.hpp"

#include <algorithm>

namespace waywiser::simulate {

void Channel::grow(std::uint32_t wanted) {
    if (is_far != 0 && wanted - first < far->size()) return;
    std::size_t room = 4;
    while (wanted - first >= room) room *= 2;
    auto larger = std::make_unique<std::vector<Message>>(room);
    for (std::uint32_t i = first; i < std::max(sent, claimed) && i < wanted; ++i) {
        (*larger)[i & (room - 1)] = message(i);
    }
    far = std::move(larger);
    is_far = 1;
}

}  // namespace waywiser::simulate
