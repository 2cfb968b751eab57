/// The work budget of a placement: counted in steps, so that results do not depend on a machine's speed.
#pragma once

#include <cstdint>

#include "place/mapper.hpp"

namespace waywiser::place {

struct Effort {
    std::uint32_t starts = 1;  ///< multisections, each with another seed
    std::uint32_t runs = 1;    ///< of each cut in them
    std::uint64_t swaps = 0;   ///< weighed up by distances
    std::uint64_t shares = 0;  ///< that swaps take from links or give to them
};

/// \param edges  of the pattern's graph, both directions
[[nodiscard]] Effort effort_for(std::uint64_t ranks, std::uint64_t edges, const Options& options);

}  // namespace waywiser::place
