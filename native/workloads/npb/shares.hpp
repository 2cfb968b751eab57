/// The share of each thread of a team.
#pragma once

#include "workloads/common/threads.hpp"
#include "workloads/npb/field.hpp"

namespace waywiser::npb {

/// End of the share of `part`, which is one of 0 ... parts - 1. A share begins at the end of its predecessor.
[[nodiscard]] inline Index end_of_share(Index items, Index part, Index parts) { return items * (part + 1) / parts; }

/// The calling thread's share: whole planes of axis 3, or rows of axis 2 if there are fewer planes than threads.
[[nodiscard]] inline Region share_of_thread(Region region) {
    const Index parts = team_size();
    const Index part = thread_number();
    const std::size_t axis = region.extent(2) >= parts ? 2 : 1;
    const Index first = region.lo[axis];
    const Index items = region.extent(axis);
    region.lo[axis] = first + end_of_share(items, part - 1, parts);
    region.hi[axis] = first + end_of_share(items, part, parts);
    return region;
}

}  // namespace waywiser::npb
