/// What a user asks of ww-grid.
#pragma once

#include "workloads/common/kernel_options.hpp"

#include <span>
#include <string>

namespace waywiser::grid {

struct Settings : KernelSettings {
    Settings() { variant = "all"; }

    std::string kernel = "all";
    double fill_value = 0.8;
    bool barrier = false;
};

/// \throws InvalidInput
[[nodiscard]] Settings read_settings(std::span<const char* const> arguments);

[[nodiscard]] std::string help_text();

}  // namespace waywiser::grid
