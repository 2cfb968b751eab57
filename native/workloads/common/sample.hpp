/// The sample that every workload writes: one JSON object a measured phase, with the same keys everywhere.
#pragma once

#include "base/json_lines.hpp"

#include <cstdint>
#include <optional>
#include <string>

namespace waywiser {

/// `bytes` and `flops` follow from formulas that the workload states; they are not measured. All are sums over
/// the ranks, and `seconds` is that of the slowest rank. What a workload does not have is null.
struct Sample {
    std::string workload = {};
    std::string variant;
    std::string phase;
    JsonObject parameters;
    int ranks = 1;
    int threads = 1;
    double seconds = 0;
    std::optional<std::int64_t> bytes = {};
    std::optional<std::int64_t> flops = {};
    std::optional<std::int64_t> points = {};
    std::optional<double> error = {};   ///< greatest, against the analytic solution; none where that was not computed
    std::optional<bool> verified = {};  ///< none where that was not asked for
    JsonObject details;                 ///< of this phase, free in form
};

[[nodiscard]] JsonObject to_json(const Sample& sample);

}  // namespace waywiser
