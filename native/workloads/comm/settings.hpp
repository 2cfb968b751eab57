/// What a user asks of ww-comm.
#pragma once

#include "workloads/common/cartesian.hpp"

#include <span>
#include <string>
#include <vector>

namespace waywiser::comm {

struct Settings {
    Index3 points{128, 0, 0};  ///< of the whole grid; 0 until read: as many as on the axis before
    Index3 ranks{0, 0, 0};     ///< on each axis; 0: every number that divides
    std::vector<Index> orders;
    std::string precision = "fp32";
    std::string variant = "all";
    Index tries = 20;
    std::string json;
    bool help = false;
};

/// \throws InvalidInput
[[nodiscard]] Settings read_settings(std::span<const char* const> arguments);

[[nodiscard]] std::string help_text();

}  // namespace waywiser::comm
