/// What a run leaves: a line for people and a JSON object of each operator and variant.
#pragma once

#include "workloads/common/roofline.hpp"
#include "workloads/common/sample.hpp"
#include "workloads/common/tries.hpp"
#include "workloads/fd/field.hpp"
#include "workloads/stencil/blocks.hpp"

#include <string>
#include <vector>

namespace waywiser::fd {

/// What all results of a run share; the same on all ranks.
struct Run {
    Settings settings;
    Index3 ranks;       ///< on each axis
    double copy_s = 0;  ///< one pass of out = in over the same grids, which bounds every operator
    MachineLimits limits;
};

/// One variant's application of one operator, several times; the same on all ranks.
struct Measured {
    const Run* run;
    NamedOperator operation;
    std::string_view variant;
    stencil::Block block;
    Tries tries;                     ///< of the slowest rank, the exchange of the halo included
    std::vector<double> exchange_s;  ///< of each try, in starting and awaiting exchanges
    Verdict verdict;                 ///< of the last try's result
};

[[nodiscard]] std::string heading(const Run& run);
/// Empty if it is verified.
[[nodiscard]] std::string failure(const Measured& measured);
[[nodiscard]] std::string row(const Measured& measured);
[[nodiscard]] Sample sample(const Measured& measured);

}  // namespace waywiser::fd
