/// What crosses each link of an interconnect under a placement.
#pragma once

#include <vector>

#include "place/mapper.hpp"

namespace waywiser::place {

class LinkLoads {
public:
    LinkLoads(const Pattern& pattern, const Slots& slots, const Order& order);

    /// Bytes over cables, of each link of the topology.
    [[nodiscard]] const std::vector<double>& loads() const noexcept { return loads_; }
    [[nodiscard]] double busiest() const noexcept;

private:
    std::vector<double> loads_;
};

}  // namespace waywiser::place
