/// The greatest of many absolute values, which no value that is not a number passes unseen.
#pragma once

#include <cmath>
#include <limits>

namespace waywiser::tbl {

/// Infinity stands for what is not a number: it stays through all later maxima, those of threads and ranks included.
[[nodiscard]] inline double greater(double greatest, double value) {
    const double size = std::abs(value);
    if (size <= greatest) return greatest;
    return size == size ? size : std::numeric_limits<double>::infinity();
}

}  // namespace waywiser::tbl
