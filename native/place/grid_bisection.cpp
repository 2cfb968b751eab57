#include "place/grid_bisection.hpp"

#include <algorithm>
#include <numeric>

namespace waywiser::place {
namespace {

/// Orders slots so that slots of a group are consecutive.
class SlotTree {
public:
    SlotTree(const Slots& slots, std::vector<std::uint32_t> used) : slots_(std::move(used)), widest_(slots_.size()) {
        const std::vector<machine::Grouping> groupings = slots.topology->groupings();
        std::ranges::sort(slots_, {},
                          [&](std::uint32_t slot) { return std::pair(slots.node[slot], slots.position[slot]); });
        for (auto grouping = groupings.rbegin(); grouping != groupings.rend(); ++grouping) {
            std::ranges::stable_sort(slots_, {},
                                     [&](std::uint32_t slot) { return grouping->group_of_node[slots.node[slot]]; });
        }
        alike_ = static_cast<std::uint32_t>(groupings.size() + 1 + slots.levels.size());
        for (std::size_t i = 1; i < slots_.size(); ++i) {
            widest_[i] = widest_between(slots, groupings, slots_[i - 1], slots_[i]);
        }
    }

    [[nodiscard]] std::uint32_t slot(std::uint32_t i) const { return slots_[i]; }

    /// The cut of the slots from `begin` to `end`: the border of their widest groups that is closest to the middle;
    /// `end` if there is none.
    [[nodiscard]] std::uint32_t cut(std::uint32_t begin, std::uint32_t end) const {
        std::uint32_t best = end;
        std::uint32_t level = alike_;
        const std::uint32_t middle = begin + (end - begin) / 2;
        const auto off = [&](std::uint32_t i) { return i < middle ? middle - i : i - middle; };
        for (std::uint32_t i = begin + 1; i < end; ++i) {
            if (widest_[i] < level || (widest_[i] == level && level < alike_ && off(i) < off(best))) {
                level = widest_[i];
                best = i;
            }
        }
        return best;
    }

    /// The widest grouping that separates a slot from its predecessor.
    [[nodiscard]] std::uint32_t level(std::uint32_t i) const { return widest_[i]; }

private:
    [[nodiscard]] std::uint32_t widest_between(const Slots& slots, const std::vector<machine::Grouping>& groupings,
                                               std::uint32_t a, std::uint32_t b) const {
        std::uint32_t level = 0;
        for (const machine::Grouping& grouping : groupings) {
            if (grouping.group_of_node[slots.node[a]] != grouping.group_of_node[slots.node[b]]) return level;
            ++level;
        }
        if (slots.node[a] != slots.node[b]) return level;
        for (auto inside = slots.levels.rbegin(); inside != slots.levels.rend(); ++inside) {
            ++level;
            if (slots.position[a] / inside->slots != slots.position[b] / inside->slots) return level;
        }
        return alike_;
    }

    std::vector<std::uint32_t> slots_;
    std::vector<std::uint32_t> widest_;  // first grouping that separates a slot from its predecessor
    std::uint32_t alike_ = 0;
};

/// The dimension of the grid of nodes that each grouping cuts; the number of dimensions if it cuts none.
std::vector<std::size_t> cut_dimensions(const machine::Topology& topology) {
    const std::vector<std::uint32_t> lengths = topology.grid().lengths;
    std::vector<std::uint32_t> wider(topology.node_count());
    std::vector<std::size_t> out;
    for (const machine::Grouping& grouping : topology.groupings()) {
        const std::vector<std::uint32_t>& group = grouping.group_of_node;
        std::size_t cut = lengths.size();
        std::uint32_t stride = 1;
        for (std::size_t d = 0; d < lengths.size(); stride *= lengths[d++]) {
            for (std::uint32_t node = 0; node < wider.size() && cut == lengths.size(); ++node) {
                if (node / stride % lengths[d] + 1 == lengths[d]) continue;
                if (wider[node] == wider[node + stride] && group[node] != group[node + stride]) cut = d;
            }
        }
        out.push_back(cut);
        wider = group;
    }
    return out;
}

class GridBisection {
public:
    GridBisection(const Stencil& stencil, const Slots& slots, std::vector<std::uint32_t> used,
                  const Alignment& alignment)
        : stencil_(stencil),
          slots_(slots),
          dimensions_(stencil.dimensions.size()),
          ranks_(static_cast<std::uint32_t>(stencil.coordinates.size() / dimensions_)),
          tree_(slots, std::move(used)),
          members_(ranks_),
          part_of_(ranks_),
          rank_at_(ranks_) {
        if (!alignment.empty()) {
            for (const std::size_t d : cut_dimensions(*slots.topology)) {
                aligned_.push_back(d < alignment.size() ? alignment[d] : dimensions_);
            }
        }
        std::iota(members_.begin(), members_.end(), 0U);
        for (std::uint32_t rank = 0; rank < ranks_; ++rank) rank_at_[place_of(rank)] = rank;
    }

    std::vector<std::uint32_t> order() {
        parts_.push_back({.begin = 0, .end = ranks_, .near = tree_.slot(ranks_ / 2)});
        // All parts are cut at the same level, so that a part's surroundings are known as precisely as the part itself.
        for (std::uint32_t part = 0; part < parts_.size(); ++part) {
            const std::uint32_t cut = tree_.cut(parts_[part].begin, parts_[part].end);
            if (cut < parts_[part].end) divide(part, cut);
        }
        std::vector<std::uint32_t> order(ranks_);
        for (std::uint32_t i = 0; i < ranks_; ++i) order[members_[i]] = tree_.slot(i);
        return order;
    }

private:
    /// Members and slots with the same numbers, from `begin` to `end`.
    struct Part {
        std::uint32_t begin;
        std::uint32_t end;
        std::uint32_t near;  // slot that represents them
    };

    [[nodiscard]] std::size_t place_of(std::uint32_t rank) const {
        std::size_t place = 0;
        for (std::size_t i = 0; i < dimensions_; ++i) {
            place = place * stencil_.dimensions[i].length + stencil_.at(rank)[i];
        }
        return place;
    }

    void divide(std::uint32_t part, std::uint32_t cut) {
        const auto [begin, end, near] = parts_[part];
        const std::size_t along = dimension_to_cut(begin, end, tree_.level(cut));
        const Part low{.begin = begin, .end = cut, .near = tree_.slot(begin + (cut - begin) / 2)};
        const Part high{.begin = cut, .end = end, .near = tree_.slot(cut + (end - cut) / 2)};
        split(begin, cut, end, along);
        if (around(part, low, low.near) + around(part, high, high.near) >
            around(part, low, high.near) + around(part, high, low.near)) {
            split(begin, begin + (end - cut), end, along);
            std::rotate(members_.begin() + begin, members_.begin() + begin + (end - cut), members_.begin() + end);
        }
        for (const Part& half : {low, high}) {
            for (std::uint32_t i = half.begin; i < half.end; ++i) {
                part_of_[members_[i]] = static_cast<std::uint32_t>(parts_.size());
            }
            parts_.push_back(half);
        }
    }

    /// The dimension that is aligned with the grouping, or else the dimension whose cut costs least. A whole ring must
    /// be cut twice.
    [[nodiscard]] std::size_t dimension_to_cut(std::uint32_t begin, std::uint32_t end, std::uint32_t level) const {
        const std::size_t aligned = level < aligned_.size() ? aligned_[level] : dimensions_;
        std::size_t best = 0;
        double least = 0;
        for (std::size_t i = 0; i < dimensions_; ++i) {
            std::uint32_t low = UINT32_MAX;
            std::uint32_t high = 0;
            for (std::uint32_t m = begin; m < end; ++m) {
                low = std::min(low, stencil_.at(members_[m])[i]);
                high = std::max(high, stencil_.at(members_[m])[i]);
            }
            if (low == high) continue;
            if (i == aligned) return i;
            const Stencil::Dimension& dimension = stencil_.dimensions[i];
            const std::uint32_t extent = high - low + 1;
            const double loss = dimension.bytes * (dimension.wraps && extent == dimension.length ? 2 : 1) / extent;
            if (least == 0 || loss < least) {
                least = loss;
                best = i;
            }
        }
        return best;
    }

    /// Moves the members with the lowest coordinates before `cut`; within a divided layer, those with the lowest other
    /// coordinates.
    void split(std::uint32_t begin, std::uint32_t cut, std::uint32_t end, std::size_t along) {
        const auto first = members_.begin();
        std::nth_element(first + begin, first + cut, first + end, [&](std::uint32_t a, std::uint32_t b) {
            const std::uint32_t* of_a = stencil_.at(a);
            const std::uint32_t* of_b = stencil_.at(b);
            if (of_a[along] != of_b[along]) return of_a[along] < of_b[along];
            return std::lexicographical_compare(of_a, of_a + dimensions_, of_b, of_b + dimensions_);
        });
    }

    /// Hop-bytes between members of `half` and ranks outside the divided part, if `half` were at `slot`.
    [[nodiscard]] double around(std::uint32_t part, const Part& half, std::uint32_t slot) const {
        double sum = 0;
        for (std::uint32_t i = half.begin; i < half.end; ++i) {
            const std::uint32_t rank = members_[i];
            const std::size_t place = place_of(rank);
            std::size_t stride = 1;
            for (std::size_t d = dimensions_; d-- > 0; stride *= stencil_.dimensions[d].length) {
                const auto& [length, wraps, bytes] = stencil_.dimensions[d];
                const std::uint32_t at = stencil_.at(rank)[d];
                for (const std::uint32_t to : {at + 1, at + length - 1}) {
                    if (!wraps && to % length != at + 1 && to % length + 1 != at) continue;
                    const std::uint32_t neighbour_part = part_of_[rank_at_[place + to % length * stride - at * stride]];
                    if (neighbour_part != part) sum += bytes * distance(slots_, slot, parts_[neighbour_part].near);
                }
            }
        }
        return sum;
    }

    const Stencil& stencil_;
    const Slots& slots_;
    std::size_t dimensions_;
    std::uint32_t ranks_;
    SlotTree tree_;
    std::vector<std::size_t> aligned_;    // aligned dimension of each grouping
    std::vector<std::uint32_t> members_;  // ranks, part by part
    std::vector<std::uint32_t> part_of_;
    std::vector<std::uint32_t> rank_at_;
    std::vector<Part> parts_;
};

}  // namespace

std::vector<Alignment> alignments(const Stencil& stencil, const machine::Topology& topology, std::size_t most) {
    const std::vector<std::uint32_t> lengths = topology.grid().lengths;
    const std::size_t dimensions = stencil.dimensions.size();
    struct Ranked {
        double cost;
        Alignment alignment;
    };
    std::vector<Ranked> all;
    Alignment alignment(lengths.size(), 0);
    constexpr std::size_t kMostAlignments = 4096;
    while (!lengths.empty() && all.size() < kMostAlignments) {
        std::vector<double> parts(dimensions, 1);
        for (std::size_t d = 0; d < lengths.size(); ++d) {
            if (alignment[d] < dimensions) parts[alignment[d]] *= lengths[d];
        }
        double cost = 0;
        bool fits = true;
        for (std::size_t i = 0; i < dimensions; ++i) {
            const auto& [length, wraps, bytes] = stencil.dimensions[i];
            fits = fits && parts[i] <= length;
            cost += bytes / length * (parts[i] - (wraps ? 0 : 1));
        }
        if (fits) all.push_back({cost, alignment});
        std::size_t d = 0;
        while (d < lengths.size() && alignment[d] + 1 == dimensions) alignment[d++] = 0;
        if (d == lengths.size()) break;
        ++alignment[d];
    }
    std::ranges::stable_sort(all, {}, &Ranked::cost);
    std::vector<Alignment> best{{}};
    for (const Ranked& ranked : all) {
        if (best.size() < most) best.push_back(ranked.alignment);
    }
    return best;
}

std::vector<std::uint32_t> bisect_grid(const Stencil& stencil, const Slots& slots, std::vector<std::uint32_t> used,
                                       const Alignment& alignment) {
    return GridBisection(stencil, slots, std::move(used), alignment).order();
}

}  // namespace waywiser::place
