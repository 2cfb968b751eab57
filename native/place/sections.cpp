#include "place/sections.hpp"

#include <algorithm>
#include <numeric>
#include <span>
#include <utility>

namespace waywiser::place {
namespace {

/// Sorts the sites of a section so that its halves are consecutive, and returns the cut.
class Cutter {
public:
    explicit Cutter(const Sites& sites) : sites_(sites), topology_(*sites.all().topology) {
        grid_ = topology_.grid();
        if (grid_.lengths.empty()) groupings_ = topology_.groupings();
    }

    std::uint32_t cut(std::span<std::uint32_t> section) {
        if (along_grid(section) || along_groupings(section) || along_node_levels(section)) return balanced(section);
        if (sites_.node(section.front()) != sites_.node(section.back())) by_distance(section);
        keys_.assign(section.size(), 0);
        std::iota(keys_.begin(), keys_.end(), 0U);
        return balanced(section);
    }

private:
    /// Sorts stably by a key.
    template <class Key>
    static auto arrange(std::span<std::uint32_t> section, Key key) {
        const std::vector<std::uint32_t> before(section.begin(), section.end());
        std::vector<std::pair<decltype(key(0U)), std::uint32_t>> sorted;
        sorted.reserve(before.size());
        for (std::uint32_t i = 0; i < before.size(); ++i) sorted.emplace_back(key(before[i]), i);
        std::ranges::sort(sorted);
        for (std::size_t i = 0; i < sorted.size(); ++i) section[i] = before[sorted[i].second];
        return sorted;
    }

    /// Sorts by a key and stores the keys; false if all keys are equal.
    template <class Key>
    bool sort(std::span<std::uint32_t> section, Key key) {
        keys_.clear();
        for (const auto& [its_key, place] : arrange(section, key)) keys_.push_back(its_key);
        return keys_.front() != keys_.back();
    }

    std::uint32_t coordinate(std::uint32_t site, std::size_t dimension) const {
        std::uint32_t node = sites_.node(site);
        for (std::size_t i = 0; i < dimension; ++i) node /= grid_.lengths[i];
        return node % grid_.lengths[dimension];
    }

    /// Hops between a node and another node that differs in one coordinate.
    std::uint32_t hops_along(std::size_t dimension, std::uint32_t from, std::uint32_t to) const {
        std::uint32_t stride = 1;
        for (std::size_t i = 0; i < dimension; ++i) stride *= grid_.lengths[i];
        return topology_.hops(from * stride, to * stride);
    }

    /// Sorts a section along the dimension whose ends are farthest apart, which is not always the longest dimension if
    /// several nodes share a vertex.
    bool along_grid(std::span<std::uint32_t> section) {
        std::uint32_t farthest = 0;
        std::size_t dimension = 0;
        for (std::size_t i = grid_.lengths.size(); i-- > 0;) {
            std::uint32_t least = grid_.lengths[i];
            std::uint32_t most = 0;
            for (const std::uint32_t site : section) {
                least = std::min(least, coordinate(site, i));
                most = std::max(most, coordinate(site, i));
            }
            if (least == most) continue;
            const std::uint32_t hops = hops_along(i, least, least + (most - least + 1) / 2);
            if (hops > farthest) {
                farthest = hops;
                dimension = i;
            }
        }
        return farthest > 0 && sort(section, [&](std::uint32_t site) { return coordinate(site, dimension); });
    }

    bool along_groupings(std::span<std::uint32_t> section) {
        const auto differ = [&](const machine::Grouping& grouping) {
            return std::ranges::any_of(section, [&](std::uint32_t site) {
                return grouping.group_of_node[sites_.node(site)] !=
                       grouping.group_of_node[sites_.node(section.front())];
            });
        };
        const auto grouping = std::ranges::find_if(groupings_, differ);
        return grouping != groupings_.end() &&
               sort(section, [&](std::uint32_t site) { return grouping->group_of_node[sites_.node(site)]; });
    }

    bool along_node_levels(std::span<std::uint32_t> section) {
        if (sites_.node(section.front()) != sites_.node(section.back())) {
            return groupings_.empty() ? false : sort(section, [&](std::uint32_t site) { return sites_.node(site); });
        }
        const std::vector<NodeLevel>& levels = sites_.all().levels;
        for (std::size_t i = levels.size(); i-- > 0;) {
            if (sort(section, [&](std::uint32_t site) { return sites_.position(site) / levels[i].slots; })) return true;
        }
        return false;
    }

    /// Sorts a section by how much closer a site is to one end of the section than to the other.
    void by_distance(std::span<std::uint32_t> section) const {
        const auto farthest = [&](std::uint32_t from) {
            return *std::ranges::max_element(section, {}, [&](std::uint32_t to) { return sites_.distance(from, to); });
        };
        const std::uint32_t first_end = farthest(section.front());
        const std::uint32_t second_end = farthest(first_end);
        arrange(section, [&](std::uint32_t site) {
            return static_cast<int>(sites_.distance(first_end, site)) -
                   static_cast<int>(sites_.distance(second_end, site));
        });
    }

    /// The position where the key changes that is closest to half of the slots.
    std::uint32_t balanced(std::span<const std::uint32_t> section) const {
        std::int64_t total = 0;
        for (const std::uint32_t site : section) total += sites_.slots_in(site);
        std::int64_t before = 0;
        std::int64_t best = total;
        std::uint32_t cut = 1;
        for (std::uint32_t i = 1; i < section.size(); ++i) {
            before += sites_.slots_in(section[i - 1]);
            if (keys_[i] == keys_[i - 1]) continue;
            const std::int64_t off = std::abs(total - 2 * before);
            if (off < best) {
                best = off;
                cut = i;
            }
        }
        return cut;
    }

    const Sites& sites_;
    const machine::Topology& topology_;
    machine::Topology::Grid grid_;
    std::vector<machine::Grouping> groupings_;
    std::vector<std::uint32_t> keys_;
};

}  // namespace

Sections::Sections(const Sites& sites) : machine_(sites), order_(sites.count()) {
    std::iota(order_.begin(), order_.end(), 0U);
    Cutter cutter(sites);
    all_.push_back({.begin = 0, .end = sites.count()});
    for (std::size_t i = 0; i < all_.size(); ++i) {
        const auto [begin, end, slots, first, second] = all_[i];
        for (std::uint32_t site = begin; site < end; ++site) all_[i].slots += sites.slots_in(order_[site]);
        if (end - begin < 2) continue;
        const std::uint32_t middle = begin + cutter.cut(std::span(order_).subspan(begin, end - begin));
        all_[i].first_half = static_cast<std::uint32_t>(all_.size());
        all_[i].second_half = all_[i].first_half + 1;
        all_.push_back({.begin = begin, .end = middle});
        all_.push_back({.begin = middle, .end = end});
    }
}

double Sections::distance(std::uint32_t a, std::uint32_t b) const noexcept {
    constexpr std::uint32_t kSamples = 8;
    const auto sample = [&](const Section& section, std::uint32_t i, std::uint32_t samples) {
        const std::uint64_t sites = section.end - section.begin;
        return order_[section.begin +
                      static_cast<std::uint32_t>((2 * std::uint64_t{i} + 1) * sites / (2 * std::uint64_t{samples}))];
    };
    const std::uint32_t of_a = std::min(kSamples, all_[a].end - all_[a].begin);
    const std::uint32_t of_b = std::min(kSamples, all_[b].end - all_[b].begin);
    std::uint32_t sum = 0;
    for (std::uint32_t i = 0; i < of_a; ++i) {
        for (std::uint32_t j = 0; j < of_b; ++j) {
            sum += machine_.distance(sample(all_[a], i, of_a), sample(all_[b], j, of_b));
        }
    }
    return static_cast<double>(sum) / (of_a * of_b);
}

}  // namespace waywiser::place
