/// The two kinds of real numbers that kernels compute with, as options name them.
#pragma once

#include "base/error.hpp"

#include <string>
#include <string_view>

namespace waywiser {

/// Calls `body(Real{})` with the Real that `precision` names: float for "fp32", double for "fp64".
/// \throws InvalidInput  for any other
template <typename Body>
auto with_precision(std::string_view precision, Body&& body) {
    require(precision == "fp32" || precision == "fp64",
            "--precision does not take '" + std::string(precision) + "' but fp32 or fp64");
    return precision == "fp32" ? body(float{}) : body(double{});
}

}  // namespace waywiser
