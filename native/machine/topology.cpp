#include "machine/topology.hpp"

#include <algorithm>

namespace waywiser::machine {

Properties Topology::properties() const {
    Properties properties;
    for (const Link& link : links()) {
        if (link.from > link.to) continue;  // This is the other direction of the same cables.
        const auto cables = static_cast<std::uint64_t>(link.cables);
        (link.from < node_count() && link.to >= node_count() ? properties.host_cables : properties.network_cables) +=
            cables;
    }
    double sum = 0;
    for (std::uint32_t a = 0; a < node_count(); ++a) {
        for (std::uint32_t b = 0; b < node_count(); ++b) {
            const std::uint32_t distance = hops(a, b);
            properties.diameter = std::max(properties.diameter, distance);
            sum += distance;
        }
    }
    properties.mean_hops = sum / node_count() / node_count();
    return properties;
}

}  // namespace waywiser::machine
