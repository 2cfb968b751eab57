/// Networks some of whose cables are down.
#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "machine/topology.hpp"

namespace waywiser::machine {

struct Failure {
    std::uint32_t a = 0;  ///< vertices at the two ends
    std::uint32_t b = 0;
    std::uint32_t cables = 0;  ///< how many between them are down; 0: all
};

/// The network without these cables. Routes that none of the lost links were on stay as they are; others take a
/// shortest way round. Links are numbered anew.
///
/// \throws InvalidInput  there is no such link, or not so many cables; some nodes cannot be reached any more
[[nodiscard]] std::unique_ptr<Topology> without(std::unique_ptr<Topology> topology, std::span<const Failure> failures);

}  // namespace waywiser::machine
