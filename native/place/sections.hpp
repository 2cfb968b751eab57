/// A machine bisected recursively down to its sites.
#pragma once

#include <cstdint>
#include <vector>

#include "place/sites.hpp"

namespace waywiser::place {

class Sections {
public:
    static constexpr std::uint32_t kNone = 0xffffffff;

    /// Sites sites()[begin..end); halves are indices of sections, or kNone for a single site.
    struct Section {
        std::uint32_t begin = 0;
        std::uint32_t end = 0;
        std::uint32_t slots = 0;
        std::uint32_t first_half = kNone;
        std::uint32_t second_half = kNone;
    };

    /// Cuts along the longest side of a grid, or along the widest groupings of other topologies. If there are no
    /// groupings, the cut is between the two nodes that are farthest apart. Nodes are then cut along their levels.
    explicit Sections(const Sites& sites);

    /// All sections. The first one is the whole machine; halves come after the section that they divide.
    [[nodiscard]] const std::vector<Section>& all() const noexcept { return all_; }
    [[nodiscard]] const std::vector<std::uint32_t>& sites() const noexcept { return order_; }

    /// Mean distance between slots of two sections, from a few of their sites.
    [[nodiscard]] double distance(std::uint32_t a, std::uint32_t b) const noexcept;

private:
    const Sites& machine_;
    std::vector<std::uint32_t> order_;
    std::vector<Section> all_;
};

}  // namespace waywiser::place
