#include "explain/members.hpp"

namespace waywiser::explain {

using trace::Communicator;

bool is_known(const Communicator& communicator, std::int64_t world_size) {
    std::int64_t listed = 0;
    for (const auto& [first, stride, count] : communicator.members) {
        if (count < 1 || count > communicator.size - listed) return false;
        const auto inside = [&](std::int64_t rank) { return rank >= -1 && rank < world_size; };
        // A stride of a list of ranks is smaller than their number; so nothing below overflows.
        if (!inside(first) || stride < -world_size || stride > world_size || !inside(first + (count - 1) * stride)) {
            return false;
        }
        listed += count;
    }
    return listed > 0 && listed == communicator.size && listed <= trace::kMaxRanks;
}

}  // namespace waywiser::explain
