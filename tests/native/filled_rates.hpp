/// Max-min fair rates as a textbook finds them: all flows at once, over all of their links.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "machine/topology.hpp"

namespace waywiser::tests {

using Route = std::vector<machine::Share>;

/// A flow: its links, and what its rate is at most.
struct Demand {
    Route route;
    double most = std::numeric_limits<double>::infinity();
};

/// All rise by the same until a link is full, or one has what it may have; those stay; and again.
inline std::vector<double> filled(const std::vector<double>& capacities, const std::vector<Demand>& flows) {
    std::vector<double> rates(flows.size());
    std::vector<bool> stays(flows.size());
    for (;;) {
        std::vector<double> left = capacities;
        std::vector<double> parts(capacities.size());
        double rise = std::numeric_limits<double>::infinity();
        for (std::size_t i = 0; i < flows.size(); ++i) {
            if (!stays[i]) rise = std::min(rise, flows[i].most - rates[i]);
            for (const machine::Share& share : flows[i].route) {
                left[share.link] -= share.part * rates[i];
                if (!stays[i]) parts[share.link] += share.part;
            }
        }
        std::size_t full = capacities.size();
        for (std::size_t link = 0; link < capacities.size(); ++link) {
            if (parts[link] > 1e-12 && left[link] / parts[link] < rise) {
                rise = left[link] / parts[link];
                full = link;
            }
        }
        if (std::isinf(rise)) return rates;
        for (std::size_t i = 0; i < flows.size(); ++i) {
            if (stays[i]) continue;
            rates[i] += rise;
            stays[i] = rates[i] >= flows[i].most * (1 - 1e-15);
            for (const machine::Share& share : flows[i].route) stays[i] = stays[i] || share.link == full;
        }
    }
}

}  // namespace waywiser::tests
