#include "trace/strides.hpp"

namespace waywiser::trace {

std::int64_t place_among(std::span<const Stride> members, std::int64_t world_rank) {
    std::int64_t before = 0;
    for (const auto& [first, stride, count] : members) {
        const std::int64_t way = world_rank - first;
        const std::int64_t steps = stride == 0 ? 0 : way / stride;
        if (steps >= 0 && steps < count && steps * stride == way) return before + steps;
        before += count;
    }
    return -1;
}

std::int64_t member_at(std::span<const Stride> members, std::int64_t place) {
    for (const auto& [first, stride, count] : members) {
        if (place < count) return first + place * stride;
        place -= count;
    }
    return -1;
}

}  // namespace waywiser::trace
