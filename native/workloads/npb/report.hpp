/// Output of ww-npb: text lines and a JSON object.
#pragma once

#include "workloads/common/roofline.hpp"
#include "workloads/common/sample.hpp"
#include "workloads/common/tries.hpp"
#include "workloads/npb/layout.hpp"
#include "workloads/npb/settings.hpp"

#include <string>

namespace waywiser::npb {

inline constexpr Column columns[] = {
    {"benchmark", "%-10s", "phase", "BT, SP or LU"},
    {"variant", "%-10s", "variant", "form of the line solver"},
    median_s,
    min_s,
    max_s,
    {"Mop/s", "%11.2f", "mops", "millions of operations a second, as NPB counts them"},
    {"difference", "%11.2e", "error", "greatest of the norms from the published ones, relative"},
};

[[nodiscard]] std::string description(const Settings& settings, const Partition& partition, int ranks);

struct Measured {
    const Settings* settings;
    std::string_view variant;
    Partition partition;
    Tries tries;
    Norms norms;
    std::optional<Norms> expected;  ///< published norms, if there are any
    std::optional<double> apart;    ///< difference from the first variant, if they were compared
    std::optional<MachineLimits> limits;
};

/// Reason why norms are not compared with published values; empty if they are compared.
[[nodiscard]] std::string unchecked(const Settings& settings);

[[nodiscard]] Sample sample(const Measured& measured);
/// The text after the row: the share of the roofline, if requested.
[[nodiscard]] std::string remark(const Measured& measured);

}  // namespace waywiser::npb
