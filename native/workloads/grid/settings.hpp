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

[[nodiscard]] Options options_of(Settings& settings);

}  // namespace waywiser::grid
