/// What a run leaves: a summary for people and one JSON object a try.
#pragma once

#include "base/json_lines.hpp"
#include "workloads/propa/check.hpp"
#include "workloads/propa/settings.hpp"

#include <string>
#include <vector>

namespace waywiser::propa {

/// One try of one variant; the same on all ranks.
struct Try {
    std::string variant;
    double seconds = 0;           ///< of all steps, of the slowest rank
    double exchange_s = 0;        ///< of that, in starting and awaiting exchanges, on the slowest rank
    Verdict verdict;
};

/// What rank 0 knows at the end.
struct Run {
    Settings settings;
    Index3 ranks;                ///< on each axis
    int threads = 1;             ///< of a rank
    Index exchanged_points = 0;  ///< received by all ranks, each step
    double copy_s = 0;           ///< one step of a leapfrog without neighbours, which bounds a pass through memory
    std::vector<Try> tries;

    [[nodiscard]] bool verified() const;
};

[[nodiscard]] std::string summary(const Run& run);
void write_samples(const Run& run, JsonLines& lines);

}  // namespace waywiser::propa
