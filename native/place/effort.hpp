/// How much work a placement is worth: counted in steps, so that results do not depend on a machine's speed.
#pragma once

#include <cstdint>

#include "place/mapper.hpp"

namespace waywiser::place {

struct Effort {
    std::uint32_t starts = 1;      ///< multisections, each with another seed
    std::uint32_t runs = 1;        ///< of each cut in them
    std::uint64_t swaps = 0;       ///< weighed up by distances
    std::uint64_t link_swaps = 0;  ///< weighed up by what links carry
};

/// \param edges  of the pattern's graph, both directions
[[nodiscard]] Effort effort_for(std::uint64_t ranks, std::uint64_t edges, const Options& options);

}  // namespace waywiser::place
