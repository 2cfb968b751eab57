/// What a shot leaves: a line for people and a JSON object of each variant.
#pragma once

#include "workloads/common/roofline.hpp"
#include "workloads/common/sample.hpp"
#include "workloads/common/tries.hpp"
#include "workloads/propa/arrivals.hpp"
#include "workloads/stencil/blocks.hpp"

#include <string>
#include <vector>

namespace waywiser::propa {

/// What all results of a shot share; the same on all ranks.
struct ShotRun {
    Settings settings;
    Survey survey;
    double slowest_m_s = 0;
    double fastest_m_s = 0;
    Index3 ranks{};  ///< on each axis
    MachineLimits limits;
    std::vector<double> snapshots_s;  ///< their times
};

/// One variant's shot, several times; the same on all ranks.
struct MeasuredShot {
    const ShotRun* run;
    std::string_view variant;
    stencil::Block block;
    Tries tries;                   ///< of all steps without snapshots, of the slowest rank
    std::vector<double> layers_s;  ///< of each try, in the absorbing layers, on the slowest rank
    Index layer_points = 0;        ///< of all layers; one at an edge or a corner is in several
    Arrivals arrivals;             ///< of the last try
};

[[nodiscard]] std::string heading(const ShotRun& run);
/// Empty if it is verified, or could not be.
[[nodiscard]] std::string failure(const MeasuredShot& measured);
[[nodiscard]] std::string row(const MeasuredShot& measured);
[[nodiscard]] Sample sample(const MeasuredShot& measured);

}  // namespace waywiser::propa
