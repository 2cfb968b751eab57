/// Who the members of a profile's communicators are.
#pragma once

#include <cstdint>

#include "trace/profile.hpp"

namespace waywiser::explain {

/// True if the members are listed, and can be true.
[[nodiscard]] bool is_known(const trace::Communicator& communicator, std::int64_t world_size);

/// World ranks without those that are not in MPI_COMM_WORLD.
template <class Each>
void for_each_member(const trace::Communicator& communicator, Each each) {
    for (const auto& [first, stride, count] : communicator.members) {
        for (std::int64_t i = 0; i < count; ++i) {
            if (const std::int64_t rank = first + i * stride; rank >= 0) each(rank);
        }
    }
}

}  // namespace waywiser::explain
