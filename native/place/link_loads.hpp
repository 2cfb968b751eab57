/// The load of each link of an interconnect under a placement.
#pragma once

#include <vector>

#include "place/mapper.hpp"

namespace waywiser::place {

class LinkLoads {
public:
    LinkLoads(const Pattern& pattern, const Slots& slots, const Order& order);

    /// Bytes over the number of cables, for each link of the topology.
    [[nodiscard]] const std::vector<double>& loads() const noexcept { return loads_; }
    [[nodiscard]] double busiest() const noexcept;

    /// The largest sum of bytes over cables along the way between two nodes that exchange messages. A way that splits
    /// counts with the mean of its branches. If all messages are in flight together and share links fairly, a saturated
    /// link of its way limits each of them at any moment. No message therefore takes longer than this sum.
    [[nodiscard]] double slowest_route(const Pattern& pattern, const Slots& slots, const Order& order) const;

private:
    std::vector<double> loads_;
};

}  // namespace waywiser::place
