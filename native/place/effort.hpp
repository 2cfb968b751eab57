/// The work budget of a placement: counted in steps, so that results do not depend on a machine's speed.
#pragma once

#include <cstdint>

#include "place/mapper.hpp"

namespace waywiser::place {

struct Effort {
    std::uint32_t starts = 1;  ///< number of multisections, each with another seed
    std::uint32_t runs = 1;    ///< runs for each cut in them
    std::uint64_t swaps = 0;   ///< swaps that are evaluated
    std::uint64_t shares = 0;  ///< shares of link loads that swaps change
};

/// \param edges  number of edges of the pattern's graph, in both directions
[[nodiscard]] Effort effort_for(std::uint64_t ranks, std::uint64_t edges, const Options& options);

}  // namespace waywiser::place
