/// What ww-grid leaves: a line for people and a JSON object of each kernel and variant.
#pragma once

#include "workloads/common/sample.hpp"
#include "workloads/grid/workbench.hpp"

#include <string>

namespace waywiser::grid {

[[nodiscard]] std::string heading(const Settings& settings, const Cartesian& cartesian, const MachineLimits& limits);

/// What a result is of, and of how many.
struct Measured {
    const Settings* settings;
    const Cartesian* cartesian;
    const Kernel* kernel;
    const Variant* variant;
    const MachineLimits* limits;
    const Result* result;
    Cost cost;
};

/// Empty if it is verified.
[[nodiscard]] std::string failure(const Measured& measured);
[[nodiscard]] std::string row(const Measured& measured);
[[nodiscard]] Sample sample(const Measured& measured);

}  // namespace waywiser::grid
