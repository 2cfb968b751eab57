/// The proposals of the portfolio, one function each; the table is in methods.cpp.
#pragma once

#include "place/mapper.hpp"

namespace waywiser::place {

[[nodiscard]] Order default_order(const Pattern& pattern, const Slots& slots, const Options& options);
[[nodiscard]] Order multisection_order(const Pattern& pattern, const Slots& slots, const Options& options);

/// Improves a proposal by local search in the chosen objective.
[[nodiscard]] Order refined(const Pattern& pattern, const Slots& slots, const Options& options, const Order& order);

/// Tiles and folds of the pattern's Cartesian stencil; none if the pattern is not a stencil.
[[nodiscard]] Order stencil_order(const Pattern& pattern, const Slots& slots, const Options& options);

/// An order by the Scotch library. \throws Error  if the library is not installed
[[nodiscard]] Order scotch_order(const Pattern& pattern, const Slots& slots, const Options& options);

}  // namespace waywiser::place
