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

inline constexpr Column phase_columns[] = {
    {"phase", "%-12s", "phase", "part of the run"},
    {"min s", "%12.6f", "seconds_min", "seconds of the fastest rank"},
    {"avg s", "%12.6f", "seconds_average", "mean of the ranks"},
    {"max s", "%12.6f", "seconds", "seconds of the slowest rank"},
    {"GB/s", "%10.2f", "traffic/s", "bytes of the formula to and from memory, of all ranks", 1e-9},
    {"GFLOP/s", "%10.2f", "operations/s", "operations of the formula, of all ranks", 1e-9},
};
inline constexpr Column comparison_columns[] = {
    {"conjugate gradients", "%-28s", "variant", "variant, with several of them"},
    {"iterations", "%10lld", "iterations", "iterations of conjugate gradients"},
    {"s/iteration", "%14.6f", "iteration_s", "seconds of the slowest rank for each iteration"},
    {"B/row", "%12.0f", "row_bytes", "bytes of the formula for each row and iteration"},
    {"GB/s", "%10.2f", "bytes/s", "bytes of the formula to and from memory, of all ranks", 1e-9},
};

/// One sample per phase.
[[nodiscard]] std::vector<Sample> samples(const Run& run);
/// \param phases  the run's samples
[[nodiscard]] std::string summary(const Run& run, const std::vector<Sample>& phases);
/// The sample of the run's conjugate gradients.
[[nodiscard]] Sample solution(const std::vector<Sample>& phases);

}  // namespace waywiser::minife
