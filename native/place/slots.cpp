#include "place/slots.hpp"

namespace waywiser::place {

std::uint32_t distance(const Slots& slots, std::uint32_t a, std::uint32_t b) noexcept {
    if (a == b) return 0;
    if (slots.node[a] != slots.node[b]) return slots.topology->hops(slots.node[a], slots.node[b]);
    if (slots.levels.empty()) return 0;
    for (const NodeLevel& level : slots.levels) {
        if (slots.position[a] / level.slots == slots.position[b] / level.slots) return level.distance;
    }
    return slots.levels.back().distance;
}

}  // namespace waywiser::place
