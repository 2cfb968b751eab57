/// Networks with failed cables.
#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "machine/topology.hpp"

namespace waywiser::machine {

struct Failure {
    std::uint32_t a = 0;  ///< vertices at the two ends
    std::uint32_t b = 0;
    std::uint32_t cables = 0;  ///< number of failed cables between them; 0: all
};

/// The network without these cables. Routes without a failed link are unchanged; others take a shortest detour. Links
/// are numbered anew.
///
/// \throws InvalidInput  there is no such link, or it has fewer cables; some nodes are no longer connected
[[nodiscard]] std::unique_ptr<Topology> without(std::unique_ptr<Topology> topology, std::span<const Failure> failures);

}  // namespace waywiser::machine
