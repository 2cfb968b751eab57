/// Members of a group, listed as strides of world ranks in the group's order.
#pragma once

#include <cstdint>
#include <span>

#include "trace/records/profile.hpp"

namespace waywiser::trace {

/// The rank of a world rank in the group; -1 if it is not a member.
[[nodiscard]] inline std::int64_t place_among(std::span<const Stride> members, std::int64_t world_rank) {
    std::int64_t before = 0;
    for (const auto& [first, stride, count] : members) {
        const std::int64_t distance = world_rank - first;
        const std::int64_t steps = stride == 0 ? 0 : distance / stride;
        if (steps >= 0 && steps < count && steps * stride == distance) return before + steps;
        before += count;
    }
    return -1;
}

/// The world rank of a member; -1 if the group has no such rank.
[[nodiscard]] inline std::int64_t member_at(std::span<const Stride> members, std::int64_t place) {
    for (const auto& [first, stride, count] : members) {
        if (place < count) return first + place * stride;
        place -= count;
    }
    return -1;
}

/// Calls `visit(world_rank)` for each member.
template <class Visit>
void each_member(std::span<const Stride> members, Visit visit) {
    for (const auto& [first, stride, count] : members) {
        for (std::int64_t i = 0; i < count; ++i) visit(first + i * stride);
    }
}

}  // namespace waywiser::trace
