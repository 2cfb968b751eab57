#include "workloads/minife/layout.hpp"

namespace waywiser::minife {
namespace {

Segment segment(const Layout& layout, const Index3& node, Index length) {
    return {.node = node, .row = layout.row(node), .position = layout.position(node), .length = length};
}

}  // namespace

std::vector<Segment> lines(const Layout& layout, const Box& part) {
    std::vector<Segment> result;
    if (part.volume() == 0) return result;
    for (Index z = part.lo[2]; z < part.hi[2]; ++z) {
        for (Index y = part.lo[1]; y < part.hi[1]; ++y) {
            result.push_back(segment(layout, {part.lo[0], y, z}, part.extent(0)));
        }
    }
    return result;
}

Split split(const Layout& layout, const Box& part) {
    // The interior excludes nodes at the box's sides, except at sides of the cube, which have no neighbours.
    Box interior = layout.owned;
    for (std::size_t axis = 0; axis < 3; ++axis) {
        interior.lo[axis] += layout.reach.lo[axis] < layout.owned.lo[axis];
        interior.hi[axis] -= layout.reach.hi[axis] > layout.owned.hi[axis];
    }
    interior = intersection(interior, part);
    Split result;
    for (const Segment& line : lines(layout, part)) {
        const auto& [x, y, z] = line.node;
        const bool crosses = interior.extent(0) > 0 && interior.contains({interior.lo[0], y, z});
        const Index low = crosses ? interior.lo[0] : x + line.length;
        const Index high = crosses ? interior.hi[0] : x + line.length;
        const auto add = [&](std::vector<Segment>& to, Index begin, Index end) {
            if (begin < end) to.push_back(segment(layout, {begin, y, z}, end - begin));
        };
        add(result.boundary, x, low);
        add(result.interior, low, high);
        add(result.boundary, high, x + line.length);
    }
    return result;
}

}  // namespace waywiser::minife
