/// The greatest absolute value, for checks: NaN counts as infinity.
#pragma once

#include <cmath>
#include <limits>

namespace waywiser {

/// Returns infinity for NaN, since infinity persists through all later maxima, also over threads and ranks.
[[nodiscard]] inline double greater(double greatest, double value) {
    const double size = std::abs(value);
    if (size <= greatest) return greatest;
    return !std::isnan(size) ? size : std::numeric_limits<double>::infinity();
}

}  // namespace waywiser
