/// What a user asks of ww-memory.
#pragma once

#include "workloads/common/kernel_options.hpp"

#include <span>
#include <string>

namespace waywiser::memory {

/// Points are those of each rank; order and cut mean nothing.
struct Settings : KernelSettings {
    Settings() { variant = "all"; }

    std::string kernel = "all";
    double scale_b = 0.8;
    double scale_c = 0.9;
};

[[nodiscard]] Options options_of(Settings& settings);

}  // namespace waywiser::memory
