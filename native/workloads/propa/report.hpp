/// What a run leaves: a line for people and a JSON object of each variant.
#pragma once

#include "workloads/common/roofline.hpp"
#include "workloads/common/sample.hpp"
#include "workloads/common/tries.hpp"
#include "workloads/propa/check.hpp"
#include "workloads/propa/settings.hpp"
#include "workloads/stencil/blocks.hpp"

#include <string>
#include <vector>

namespace waywiser::propa {

/// What all results of a run share; the same on all ranks.
struct Run {
    Settings settings;
    Index3 ranks;                ///< on each axis
    Index exchanged_points = 0;  ///< received by all ranks, each step
    double copy_s = 0;           ///< one step of a leapfrog without neighbours, which bounds a pass through memory
    MachineLimits limits;

    [[nodiscard]] Index point_steps() const { return settings.all_points() * settings.steps; }
};

/// One variant's propagation, several times; the same on all ranks.
struct Measured {
    const Run* run;
    std::string_view variant;
    stencil::Block block;
    Tries tries;                     ///< of all steps, of the slowest rank
    std::vector<double> exchange_s;  ///< of each try, in starting and awaiting exchanges, on the slowest rank
    Verdict verdict;                 ///< of the first try that is not verified, or of the last
};

[[nodiscard]] std::string heading(const Run& run);
/// Empty if it is verified.
[[nodiscard]] std::string failure(const Measured& measured);
[[nodiscard]] std::string row(const Measured& measured);
[[nodiscard]] Sample sample(const Measured& measured);

/// Bytes and flops of one step, as the update of a point counts them.
[[nodiscard]] Roofline roofline_of(const Settings& settings);

}  // namespace waywiser::propa
