#include "workloads/lattice/sites.hpp"

#include "base/error.hpp"

#include <algorithm>
#include <limits>
#include <numeric>

namespace waywiser::lattice {

Sites::Sites(const Torus& torus, int lanes) : torus_(torus), inner_(torus.local()) {
    split(lanes);
    blocks_ = product(inner_) / 2;
    require(2 * blocks_ < std::numeric_limits<std::int32_t>::max(),
            product_text(torus.local()) + " sites are too many for a rank: take more ranks");
    for (int parity = 0; parity < 2; ++parity) {
        neighbours_[static_cast<std::size_t>(parity)].resize(static_cast<std::size_t>(blocks_ * directions));
        for (Index block = 0; block < blocks_; ++block) connect(parity, block);
        find_halos(parity);
    }
}

/// Halves the box along axes that are long enough. Axes with a single rank come first, because their faces need no
/// mixing of lanes.
void Sites::split(int lanes) {
    std::vector<std::size_t> order;
    for (const std::size_t axis : {3, 2, 1, 0}) {
        if (inner_[axis] % 4 == 0) order.push_back(axis);
    }
    if (std::size_t{1} << order.size() < static_cast<std::size_t>(lanes)) return;
    std::ranges::stable_sort(order, [&](std::size_t a, std::size_t b) { return torus_.is_cut(a) < torus_.is_cut(b); });
    for (const std::size_t axis : order) {
        if (lanes_ == lanes) return;
        inner_[axis] /= 2;
        lane_bits_[axis] = lanes_;
        lanes_ *= 2;
    }
}

Index Sites::block_at(const Index4& inner) const {
    return inner[0] / 2 + inner_[0] / 2 * (inner[1] + inner_[1] * (inner[2] + inner_[2] * inner[3]));
}

Index4 Sites::coordinates(const Place& place) const {
    Index4 site{};
    Index rest = place.block / (inner_[0] / 2);
    for (std::size_t axis = 1; axis < axes; ++axis) {
        site[axis] = rest % inner_[axis];
        rest /= inner_[axis];
    }
    site[0] = 2 * (place.block % (inner_[0] / 2)) + (site[1] + site[2] + site[3] + place.parity) % 2;
    for (std::size_t axis = 0; axis < axes; ++axis) {
        if ((place.lane & lane_bits_[axis]) != 0) site[axis] += inner_[axis];
    }
    return site;
}

Place Sites::place(const Index4& site) const {
    Index4 inner = site;
    int lane = 0;
    for (std::size_t axis = 0; axis < axes; ++axis) {
        if (inner[axis] < inner_[axis]) continue;
        inner[axis] -= inner_[axis];
        lane += lane_bits_[axis];
    }
    return {static_cast<int>((site[0] + site[1] + site[2] + site[3]) % 2), block_at(inner), lane};
}

void Sites::connect(int parity, Index block) {
    const Index4 site = coordinates({parity, block, 0});
    for (std::size_t axis = 0; axis < axes; ++axis) {
        for (const int direction : {forward(axis), backward(axis)}) {
            Index4 neighbour = site;
            const bool is_forward = direction == forward(axis);
            const bool crosses = site[axis] == (is_forward ? inner_[axis] - 1 : 0);
            neighbour[axis] = (site[axis] + (is_forward ? 1 : inner_[axis] - 1)) % inner_[axis];
            const Index entry = 2 * block_at(neighbour) + (crosses && lane_bits_[axis] != 0 ? 1 : 0);
            neighbours_[static_cast<std::size_t>(parity)][static_cast<std::size_t>(block * directions + direction)] =
                static_cast<std::int32_t>(entry);
            if (crosses && torus_.is_cut(axis)) {
                faces_[static_cast<std::size_t>(parity)][static_cast<std::size_t>(direction)].push_back(
                    static_cast<std::int32_t>(block));
            }
        }
    }
}

void Sites::find_halos(int parity) {
    const auto p = static_cast<std::size_t>(parity);
    halos_[p].assign(static_cast<std::size_t>(blocks_ * directions), -1);
    std::vector<bool> at_face(static_cast<std::size_t>(blocks_));
    for (std::size_t direction = 0; direction < directions; ++direction) {
        const std::vector<std::int32_t>& face = faces_[p][direction];
        for (std::size_t i = 0; i < face.size(); ++i) {
            const auto block = static_cast<std::size_t>(face[i]);
            halos_[p][block * directions + direction] = static_cast<std::int32_t>(i);
            at_face[block] = true;
        }
    }
    for (std::size_t block = 0; block < at_face.size(); ++block) {
        (at_face[block] ? border_ : interior_)[p].push_back(static_cast<std::int32_t>(block));
    }
}

unsigned Sites::face_lanes(int direction) const {
    const int bit = lane_bits_[static_cast<std::size_t>(direction) / 2];
    unsigned lanes = 0;
    for (int lane = 0; lane < lanes_; ++lane) {
        const bool upper = (lane & bit) != 0;
        if (bit == 0 || upper == (direction % 2 == 0)) lanes |= 1U << static_cast<unsigned>(lane);
    }
    return lanes;
}

}  // namespace waywiser::lattice
