/// What a user asks of ww-memory.
#pragma once

#include "workloads/common/cartesian.hpp"

#include <span>
#include <string>

namespace waywiser::memory {

struct Settings {
    Index3 points{256, 0, 0};  ///< of each rank; 0 until read: as many as on the axis before
    std::string precision = "fp32";
    std::string kernel = "all";
    std::string variant = "all";
    bool retune = false;
    Index tries = 10;
    double scale_b = 0.8;
    double scale_c = 0.9;
    std::string json;
    bool help = false;

    [[nodiscard]] Index points_a_rank() const { return points[0] * points[1] * points[2]; }
};

/// \throws InvalidInput
[[nodiscard]] Settings read_settings(std::span<const char* const> arguments);

[[nodiscard]] std::string help_text();

}  // namespace waywiser::memory
