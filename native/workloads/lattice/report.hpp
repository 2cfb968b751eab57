/// What ww-lattice leaves: lines for people and JSON objects.
#pragma once

#include "workloads/common/roofline.hpp"
#include "workloads/common/sample.hpp"
#include "workloads/common/tries.hpp"
#include "workloads/lattice/truth.hpp"

#include <string>
#include <string_view>

namespace waywiser::lattice {

/// What all variants of a run share.
struct Run {
    const Settings* settings;
    Index4 ranks;
    MachineLimits limits;
};

/// A phase of a variant: solutions, or hops from all sites to all.
struct Measured {
    const Run* run;
    const Variant* variant;
    int lanes;
    std::string_view phase;
    Tries tries;
    Index iterations;  ///< 0 of hops
    Solved solved;
    Sections sections;  ///< of the slowest rank, all solutions together
    Truths truths;
};

[[nodiscard]] std::string heading(const Run& run);

/// Empty if it is verified.
[[nodiscard]] std::string failure(const Measured& measured);
[[nodiscard]] std::string row(const Measured& measured);
[[nodiscard]] Sample sample(const Measured& measured);
/// What follows the rows of a variant.
[[nodiscard]] std::string remarks(const Measured& solution);

}  // namespace waywiser::lattice
