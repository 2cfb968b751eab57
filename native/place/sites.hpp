/// The places of a machine between which mappers choose: all slots of a site have the same distances to other sites.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "place/mapper.hpp"

namespace waywiser::place {

/// A site is a node, or the narrowest group of a node's slots where nodes have levels.
class Sites {
public:
    explicit Sites(const Slots& slots);

    [[nodiscard]] std::uint32_t count() const noexcept { return static_cast<std::uint32_t>(node_.size()); }
    [[nodiscard]] std::uint32_t slots_in(std::uint32_t site) const noexcept { return first_[site + 1] - first_[site]; }
    [[nodiscard]] std::span<const std::uint32_t> slots_of(std::uint32_t site) const noexcept {
        return std::span(slots_).subspan(first_[site], slots_in(site));
    }
    [[nodiscard]] std::uint32_t site_of(std::uint32_t slot) const noexcept { return site_of_[slot]; }
    [[nodiscard]] std::uint32_t node(std::uint32_t site) const noexcept { return node_[site]; }
    /// Position of the site's first slot in its node.
    [[nodiscard]] std::uint32_t position(std::uint32_t site) const noexcept { return position_[site]; }
    [[nodiscard]] const Slots& all() const noexcept { return *all_; }

    /// Distance between two slots, one of each site [hops].
    [[nodiscard]] std::uint32_t distance(std::uint32_t a, std::uint32_t b) const noexcept {
        return table_.empty() ? computed(a, b) : table_[std::size_t{a} * node_.size() + b];
    }

private:
    [[nodiscard]] std::uint32_t computed(std::uint32_t a, std::uint32_t b) const noexcept;
    void tabulate();

    const Slots* all_;
    std::vector<std::uint32_t> node_;
    std::vector<std::uint32_t> position_;
    std::vector<std::uint32_t> first_;  // first slot of each site
    std::vector<std::uint32_t> slots_;
    std::vector<std::uint32_t> site_of_;  // site of each slot
    std::vector<std::uint8_t> table_;     // distances between sites; empty if the table would be too large
};

/// The sites of each rank, as slots: the ranks of a site take its slots in their order.
[[nodiscard]] Order order_of(const Sites& sites, std::span<const std::uint32_t> site_of_rank);

}  // namespace waywiser::place
