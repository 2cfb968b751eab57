/// What a user asks of ww-grid.
#pragma once

#include "workloads/common/cartesian.hpp"

#include <span>
#include <string>

namespace waywiser::grid {

struct Settings {
    Index3 points{256, 0, 0};  ///< of the whole grid; 0 until read: as many as on the axis before
    Index3 ranks{0, 0, 0};     ///< on each axis; 0: as `cut` has it
    Index order = 8;           ///< of the differences that the halo is for: half of it is its width
    std::string precision = "fp32";
    std::string kernel = "all";
    std::string variant = "all";
    bool retune = false;
    Index tries = 10;
    double fill_value = 0.8;
    bool barrier = false;
    std::string json;
    bool help = false;
};

/// \throws InvalidInput
[[nodiscard]] Settings read_settings(std::span<const char* const> arguments);

[[nodiscard]] std::string help_text();

}  // namespace waywiser::grid
