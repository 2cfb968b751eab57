/// Errors that a run must keep within bounds.
#pragma once

#include "workloads/common/text.hpp"

#include <cmath>
#include <initializer_list>
#include <string>

namespace waywiser {

struct Bound {
    double error;  ///< of either sign
    double allowed;
    std::string sentence;  ///< with a format for each of the two, or for neither
};

/// A sentence on the first error that is not within its bound, as NaN never is; empty if all are.
[[nodiscard]] inline std::string first_failure(std::initializer_list<Bound> bounds) {
    for (const auto& [error, allowed, sentence] : bounds) {
        if (!(std::abs(error) <= allowed)) return text(sentence.c_str(), error, allowed);
    }
    return "";
}

}  // namespace waywiser
