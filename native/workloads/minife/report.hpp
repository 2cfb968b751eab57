/// Output of a run: a text summary and one JSON object per phase.
#pragma once

#include "workloads/common/roofline.hpp"
#include "workloads/common/sample.hpp"
#include "workloads/minife/settings.hpp"
#include "workloads/minife/verify.hpp"

#include <optional>
#include <span>
#include <string>
#include <vector>

namespace waywiser::minife {

/// Metrics of one rank. All are doubles, so that one Gather collects them; counts are exact up to 2^53.
struct RankMetrics {
    Account memory;
    Account structure;
    Account assembly;
    Account boundary;
    Account convert;
    Account halo;
    Account levels;
    CgAccounts cg;
    double rows = 0;
    double sent_nodes = 0;
    double neighbours = 0;
    double own_elements = 0;
};

/// Rank 0's results at the end.
struct Run {
    Settings settings;
    std::vector<RankMetrics> ranks;
    Verification verification;
    Index iterations = 0;
    double initial_norm = 0;
    double residual_norm = 0;
    std::optional<MachineLimits> limits;  ///< none unless requested
};

[[nodiscard]] std::string summary(const Run& run);
/// A table that compares the conjugate gradients of several runs on one problem.
[[nodiscard]] std::string comparison(std::span<const Run> runs);
/// One sample per phase.
[[nodiscard]] std::vector<Sample> samples(const Run& run);

}  // namespace waywiser::minife
