/// The greatest of many absolute values, which no value that is not a number passes unseen.
#pragma once

#include <cmath>
#include <limits>

namespace waywiser::tbl {

/// Infinity replaces NaN: it persists through all later maxima, also over threads and ranks.
[[nodiscard]] inline double greater(double greatest, double value) {
    const double size = std::abs(value);
    if (size <= greatest) return greatest;
    return size == size ? size : std::numeric_limits<double>::infinity();
}

}  // namespace waywiser::tbl
