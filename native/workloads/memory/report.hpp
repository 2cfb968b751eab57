/// What ww-memory leaves: a line for people and a JSON object of each kernel and variant.
#pragma once

#include "workloads/common/sample.hpp"
#include "workloads/memory/measure.hpp"

#include <string>

namespace waywiser::memory {

[[nodiscard]] std::string heading(const Settings& settings, const MachineLimits& limits, int ranks);

/// What a result is of, and of how many.
struct Measured {
    const Settings* settings;
    const Kernel* kernel;
    const Variant* variant;
    const MachineLimits* limits;
    const Result* result;
    int ranks;
};

/// Empty if it is verified.
[[nodiscard]] std::string failure(const Measured& measured);
[[nodiscard]] std::string row(const Measured& measured);
[[nodiscard]] Sample sample(const Measured& measured);

}  // namespace waywiser::memory
