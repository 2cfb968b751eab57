/// Output of ww-lattice: text lines and JSON objects.
#pragma once

#include "workloads/common/roofline.hpp"
#include "workloads/common/sample.hpp"
#include "workloads/common/tries.hpp"
#include "workloads/lattice/truth.hpp"

#include <string>
#include <string_view>

namespace waywiser::lattice {

/// Data that all variants of a run share.
struct Run {
    const Settings* settings;
    Index4 ranks;
    MachineLimits limits;
};

/// A phase of a variant: solutions, or hops from all sites to all sites.
struct Measured {
    const Run* run;
    const Variant* variant;
    int lanes;
    std::string_view phase;
    Tries tries;
    Index iterations;  ///< 0 for hops
    Solved solved;
    Sections sections;  ///< times of the slowest rank, for all solutions together
    Truths truths;
};

inline constexpr Column columns[] = {
    {"phase", "%-6s", "phase", "cg: conjugate gradients; hop: from all sites to their neighbours"},
    {"variant", "%-10s", "variant", "storage and arithmetic of links and spinors"},
    median_s,
    min_s,
    max_s,
    {"iterations", "%10lld", "iterations_of_cg", "iterations of conjugate gradients"},
    {"Msite/s", "%9.3f", "points/s", "millions of sites, of each iteration", 1e-6},
    {"GFLOP/s", "%9.2f", "flops/s", "operations of the formula", 1e-9},
    {"residual", "%10.2e", "residual_of_cg", "relative residual of the solution"},
};

[[nodiscard]] std::string description(const Run& run);

[[nodiscard]] Sample sample(const Measured& measured);
/// Text below the rows of a variant.
[[nodiscard]] std::string remarks(const Measured& solution);

}  // namespace waywiser::lattice
