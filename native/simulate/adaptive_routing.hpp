/// Routes that messages choose by the load of links.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "machine/topology.hpp"
#include "simulate/network.hpp"

namespace waywiser::simulate {

/// A message takes its minimal route or the best of three random Valiant detours. The best route has the least load of
/// its busiest link times hops; the minimal one wins a tie. The load is the number of messages that cross a link, per
/// cable. So an idle network routes minimally.
///
/// Sources: A. Singh, "Load-balanced routing in interconnection networks", thesis, Stanford 2005 (UGAL); D. De Sensi,
/// S. Di Girolamo, K. H. McMahon, D. Roweth, T. Hoefler, "An in-depth analysis of the Slingshot interconnect", SC 2020:
/// a switch compares up to four minimal and other paths.
class AdaptiveRouting {
public:
    static constexpr int kDetours = 3;  ///< number of detours that a message considers

    /// The network must outlive the object. The detours are the same for the same seed.
    AdaptiveRouting(Network& network, std::uint64_t seed);

    /// Chooses a way of a message that starts now between the ends of a minimal way, and loads its links.
    std::uint32_t start(std::uint32_t minimal);
    /// Takes an ended message off the links of its way.
    void end(std::uint32_t route) { load(route, -1); }

private:
    [[nodiscard]] std::uint32_t chosen(std::uint32_t minimal);
    [[nodiscard]] double cost(std::span<const machine::Share> links, std::size_t hops) const;
    void load(std::uint32_t route, std::int64_t messages);

    Network* network_;
    std::vector<std::int64_t> loads_;    // messages on each link of the topology, in units of 1 / kWhole
    std::vector<machine::Share> links_;  // links of the detour that is being compared
    std::uint64_t chance_;               // state of SplitMix64
};

}  // namespace waywiser::simulate
