/// Who the members of a group are, where they are listed as strides of world ranks in the group's order.
#pragma once

#include <cstdint>
#include <span>

#include "trace/profile.hpp"

namespace waywiser::trace {

/// The rank in the group of a world rank; -1 if it is not in it.
[[nodiscard]] std::int64_t place_among(std::span<const Stride> members, std::int64_t world_rank);

/// The world rank of a rank in the group; -1 if there is none.
[[nodiscard]] std::int64_t member_at(std::span<const Stride> members, std::int64_t place);

}  // namespace waywiser::trace
