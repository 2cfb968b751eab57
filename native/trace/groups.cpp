#include "trace/groups.hpp"

#include <algorithm>
#include <iterator>

namespace waywiser::trace {

Groups::Groups(const TraceJob& job) : job_(job), begins_(job.objects.size()) {
    for (std::size_t i = 0; i < job.objects.size(); ++i) {
        std::int64_t begin = 0;
        for (const Stride& stride : job.objects[i].members) {
            begins_[i].push_back(begin);
            begin += stride.count;
        }
    }
}

std::int64_t Groups::world_rank(std::uint32_t object, std::int64_t rank) const {
    const auto& begins = begins_[object];
    const auto after = std::upper_bound(begins.begin(), begins.end(), rank);
    if (rank < 0 || after == begins.begin()) return kUnknown;
    const auto i = static_cast<std::size_t>(std::distance(begins.begin(), after) - 1);
    const Stride& stride = job_.objects[object].members[i];
    return rank - begins[i] < stride.count ? stride.first + (rank - begins[i]) * stride.stride : kUnknown;
}

std::int64_t Groups::rank_in(std::uint32_t object, std::int64_t world_rank) const {
    const auto& members = job_.objects[object].members;
    for (std::size_t i = 0; i < members.size(); ++i) {
        const std::int64_t distance = world_rank - members[i].first;
        const std::int64_t step = members[i].stride == 0 ? 1 : members[i].stride;
        if (distance % step == 0 && distance / step >= 0 && distance / step < members[i].count)
            return begins_[object][i] + distance / step;
    }
    return kUnknown;
}

}  // namespace waywiser::trace
