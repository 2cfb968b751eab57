/// What ww-npb leaves: lines for people and a JSON object.
#pragma once

#include "workloads/common/roofline.hpp"
#include "workloads/common/sample.hpp"
#include "workloads/common/tries.hpp"
#include "workloads/npb/layout.hpp"
#include "workloads/npb/settings.hpp"

#include <string>

namespace waywiser::npb {

[[nodiscard]] std::string heading(const Settings& settings, const Partition& partition, int ranks);

struct Measured {
    const Settings* settings;
    std::string_view variant;
    Partition partition;
    Tries tries;
    Norms norms;
    std::optional<Norms> expected;  ///< where something is published
    std::optional<double> apart;    ///< from the first variant, where they were compared
    std::optional<MachineLimits> limits;
};

/// Why nothing could be compared; empty if something was.
[[nodiscard]] std::string unchecked(const Settings& settings);

/// Empty if it is verified, or was not to be.
[[nodiscard]] std::string failure(const Measured& measured);
[[nodiscard]] std::string row(const Measured& measured);
[[nodiscard]] Sample sample(const Measured& measured);

}  // namespace waywiser::npb
