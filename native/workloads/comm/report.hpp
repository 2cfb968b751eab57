/// What ww-comm leaves: a line for people and a JSON object of each decomposition, order and variant.
#pragma once

#include "workloads/comm/measure.hpp"
#include "workloads/comm/settings.hpp"
#include "workloads/common/roofline.hpp"
#include "workloads/common/sample.hpp"

#include <string>

namespace waywiser::comm {

[[nodiscard]] std::string heading(const Settings& settings, const MachineLimits& limits, int ranks);

/// What a result is of, and of how many.
struct Measured {
    const Settings* settings;
    const Variant* variant;
    const MachineLimits* limits;
    const Result* result;
    Index3 ranks;
    Index order;
    Traffic traffic;
};

/// Empty if it is verified.
[[nodiscard]] std::string failure(const Measured& measured);
[[nodiscard]] std::string row(const Measured& measured);
[[nodiscard]] Sample sample(const Measured& measured);

}  // namespace waywiser::comm
