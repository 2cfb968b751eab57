#include "mpi/groups.hpp"

#include <algorithm>
#include <iterator>

#include "trace/records/strides.hpp"

namespace waywiser::mpi {

Groups::Groups(const trace::TraceJob& job) : job_(job), begins_(job.objects.size()) {
    for (std::size_t i = 0; i < job.objects.size(); ++i) {
        std::int64_t begin = 0;
        for (const trace::Stride& stride : job.objects[i].members) {
            begins_[i].push_back(begin);
            begin += stride.count;
        }
    }
}

std::int64_t Groups::world_rank(std::uint32_t object, std::int64_t rank) const {
    const auto& begins = begins_[object];
    const auto after = std::upper_bound(begins.begin(), begins.end(), rank);
    if (rank < 0 || after == begins.begin()) return trace::kUnknown;
    const auto i = static_cast<std::size_t>(std::distance(begins.begin(), after) - 1);
    const trace::Stride& stride = job_.objects[object].members[i];
    return rank - begins[i] < stride.count ? stride.first + (rank - begins[i]) * stride.stride : trace::kUnknown;
}

std::int64_t Groups::rank_in(std::uint32_t object, std::int64_t world_rank) const {
    return trace::place_among(job_.objects[object].members, world_rank);
}

std::vector<std::int32_t> rank_indices(const trace::TraceJob& job) {
    std::vector<std::int32_t> indices;
    for (std::size_t i = 0; i < job.ranks.size(); ++i) {
        const auto rank = static_cast<std::size_t>(job.ranks[i].rank);
        if (rank >= indices.size()) indices.resize(rank + 1, -1);
        indices[rank] = static_cast<std::int32_t>(i);
    }
    return indices;
}

}  // namespace waywiser::mpi
