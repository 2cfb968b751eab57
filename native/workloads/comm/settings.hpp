/// What a user asks of ww-comm.
#pragma once

#include "workloads/common/kernel_options.hpp"

#include <span>
#include <string>
#include <vector>

namespace waywiser::comm {

/// Settings of ww-comm. An axis without a number of ranks takes every number that divides.
struct Settings : KernelSettings {
    Settings() {
        points[0] = 128;
        variant = "all";
        tries = 20;
    }

    std::string order_text = "2,4,8,16";
    std::vector<Index> orders;  ///< in place of the one order; none until read
};

[[nodiscard]] Options options_of(Settings& settings);

/// \throws InvalidInput
void complete(Settings& settings);

}  // namespace waywiser::comm
