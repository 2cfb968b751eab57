/// Swaps ranks so that the most loaded links carry less.
#pragma once

#include <cstdint>

#include "place/mapper.hpp"

namespace waywiser::place {

/// Swaps ranks that communicate over busy links, or are slow themselves, with ranks near their partners or anywhere. A
/// swap is kept if the sum of the eighth powers of all loads decreases. The largest loads dominate that sum, yet it
/// distinguishes swaps that leave the largest load unchanged.
/// \param shares  number of link loads changed after which the search ends; a route counts once for each of its links
void improve_links(const Pattern& pattern, const Slots& slots, const Options& options, std::uint64_t shares,
                   Order& order);

}  // namespace waywiser::place
