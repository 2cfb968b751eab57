/// What a user asks of ww-comm.
#pragma once

#include "workloads/common/kernel_options.hpp"

#include <span>
#include <string>
#include <vector>

namespace waywiser::comm {

/// On an axis without a number of ranks, every number that divides is taken.
struct Settings : KernelSettings {
    Settings() {
        points[0] = 128;
        variant = "all";
        tries = 20;
    }

    std::vector<Index> orders;  ///< in place of the one order
};

/// \throws InvalidInput
[[nodiscard]] Settings read_settings(std::span<const char* const> arguments);

[[nodiscard]] std::string help_text();

}  // namespace waywiser::comm
