/// Errors that a run must keep within bounds.
#pragma once

#include "workloads/common/text.hpp"

#include <cmath>
#include <initializer_list>
#include <string>

namespace waywiser {

struct Bound {
    double error;  ///< error of either sign
    double allowed;
    std::string sentence;  ///< message with a format for each of the two numbers, or for neither
};

/// Returns a sentence on the first error beyond its bound (NaN is always beyond); empty if there is no such error.
[[nodiscard]] inline std::string first_failure(std::initializer_list<Bound> bounds) {
    for (const auto& [error, allowed, sentence] : bounds) {
        if (!(std::abs(error) <= allowed)) return text(sentence.c_str(), error, allowed);
    }
    return "";
}

}  // namespace waywiser
