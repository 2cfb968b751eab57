#include "place/sites.hpp"

#include <algorithm>
#include <numeric>
#include <tuple>

namespace waywiser::place {
namespace {

constexpr std::size_t kLargestTable = std::size_t{1} << 24U;

}  // namespace

Sites::Sites(const Slots& slots) : all_(&slots), slots_(slots.count()), site_of_(slots.count()) {
    const auto group = [&](std::uint32_t slot) {
        return slots.levels.empty() ? 0 : slots.position[slot] / slots.levels.front().slots;
    };
    std::iota(slots_.begin(), slots_.end(), 0U);
    std::ranges::sort(slots_, {}, [&](std::uint32_t slot) { return std::tuple(slots.node[slot], group(slot), slot); });
    for (std::uint32_t i = 0; i < slots_.size(); ++i) {
        const std::uint32_t slot = slots_[i];
        if (i == 0 || slots.node[slot] != node_.back() || group(slot) != group(slots_[i - 1])) {
            first_.push_back(i);
            node_.push_back(slots.node[slot]);
            position_.push_back(slots.position[slot]);
        }
        site_of_[slot] = static_cast<std::uint32_t>(node_.size() - 1);
    }
    first_.push_back(static_cast<std::uint32_t>(slots_.size()));
    tabulate();
}

std::uint32_t Sites::computed(std::uint32_t a, std::uint32_t b) const noexcept {
    if (a == b) return all_->levels.empty() ? 0 : all_->levels.front().distance;
    return place::distance(*all_, slots_[first_[a]], slots_[first_[b]]);
}

void Sites::tabulate() {
    const std::size_t sites = node_.size();
    if (sites * sites > kLargestTable) return;
    std::vector<std::uint8_t> table(sites * sites);
    for (std::uint32_t a = 0; a < sites; ++a) {
        for (std::uint32_t b = a; b < sites; ++b) {
            const std::uint32_t hops = computed(a, b);
            if (hops > 0xff) return;
            table[a * sites + b] = table[b * sites + a] = static_cast<std::uint8_t>(hops);
        }
    }
    table_ = std::move(table);
}

Order order_of(const Sites& sites, std::span<const std::uint32_t> site_of_rank) {
    std::vector<std::uint32_t> taken(sites.count());
    Order order(site_of_rank.size());
    for (std::size_t rank = 0; rank < order.size(); ++rank) {
        const std::uint32_t site = site_of_rank[rank];
        order[rank] = sites.slots_of(site)[taken[site]++];
    }
    return order;
}

}  // namespace waywiser::place
