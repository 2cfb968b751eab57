#include "workloads/minife/shares.hpp"

namespace waywiser::minife {
namespace {

/// Number of nodes below which waking a thread does not pay off.
constexpr Index least_nodes = 512;

}  // namespace

Shares::Shares(std::span<const Segment> segments) {
    Index nodes = 0;
    for (const Segment& segment : segments) nodes += segment.length;
    const Index count = std::clamp<Index>(nodes / least_nodes, 1, thread_limit());
    parts_.resize(static_cast<std::size_t>(count));
    Index before = 0;
    for (const Segment& segment : segments) {
        parts_[static_cast<std::size_t>(before * count / nodes)].push_back(segment);
        before += segment.length;
    }
}

Shares Shares::joined() const {
    Shares result;
    for (const std::vector<Segment>& part : parts_) {
        std::vector<Segment>& runs = result.parts_.emplace_back();
        for (const Segment& next : part) {
            if (!runs.empty() && runs.back().position + runs.back().length == next.position) {
                runs.back().length += next.length;
            } else {
                runs.push_back(next);
            }
        }
    }
    return result;
}

std::vector<Box> slabs(const Box& box) {
    const Index planes = box.extent(2);
    const Index count = std::min<Index>(thread_limit(), planes);
    std::vector<Box> result(static_cast<std::size_t>(count), box);
    for (Index k = 0; k < count; ++k) {
        Box& slab = result[static_cast<std::size_t>(k)];
        slab.lo[2] = box.lo[2] + planes * k / count;
        slab.hi[2] = box.lo[2] + planes * (k + 1) / count;
    }
    return result;
}

}  // namespace waywiser::minife
