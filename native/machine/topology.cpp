#include "machine/topology.hpp"

#include <algorithm>

namespace waywiser::machine {

Properties Topology::properties() const {
    Properties found;
    for (const Link& link : links()) {
        if (link.from > link.to) continue;  // This is the other direction of the same cables.
        const auto cables = static_cast<std::uint64_t>(link.cables);
        (link.from < node_count() && link.to >= node_count() ? found.host_cables : found.network_cables) += cables;
    }
    double sum = 0;
    for (std::uint32_t a = 0; a < node_count(); ++a) {
        for (std::uint32_t b = 0; b < node_count(); ++b) {
            const std::uint32_t distance = hops(a, b);
            found.diameter = std::max(found.diameter, distance);
            sum += distance;
        }
    }
    found.mean_hops = sum / node_count() / node_count();
    return found;
}

}  // namespace waywiser::machine
