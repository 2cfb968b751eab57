/// What a run leaves: a summary for people and one JSON object a try.
#pragma once

#include "base/json_lines.hpp"
#include "workloads/fd/field.hpp"

#include <string>
#include <vector>

namespace waywiser::fd {

/// One variant's application of one operator, several times; the same on all ranks.
struct Measured {
    NamedOperator operation;
    std::string variant;
    std::vector<double> seconds;     ///< of each try, of the slowest rank, the exchange of the halo included
    std::vector<double> exchange_s;  ///< of that, in starting and awaiting exchanges
    Verdict verdict;                 ///< of the last try's result
};

/// What rank 0 knows at the end.
struct Run {
    Settings settings;
    Index3 ranks;     ///< on each axis
    int threads = 1;  ///< of a rank
    double copy_s = 0;  ///< one pass of out = in over the same grids, which bounds every operator
    std::vector<Measured> measured;

    [[nodiscard]] bool verified() const;
};

[[nodiscard]] std::string summary(const Run& run);
void write_samples(const Run& run, JsonLines& lines);

}  // namespace waywiser::fd
