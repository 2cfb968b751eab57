/// Ranks change places with others so that the links that carry most carry less.
#pragma once

#include <cstdint>

#include "place/mapper.hpp"

namespace waywiser::place {

/// By swaps of ranks that speak over busy links, or are slow themselves, with others near their partners or anywhere:
/// kept if the sum of the eighth powers of all loads becomes less. That sum is ruled by the largest loads, and yet
/// tells apart swaps that leave the largest one as it is.
/// \param shares  after so many changes of a link's load it ends: routes over many paths cost as much more as they have
void improve_links(const Pattern& pattern, const Slots& slots, const Options& options, std::uint64_t shares,
                   Order& order);

}  // namespace waywiser::place
