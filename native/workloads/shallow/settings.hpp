/// What a user asks of ww-shallow.
#pragma once

#include "workloads/shallow/topology.hpp"

#include <span>
#include <string>

namespace waywiser::shallow {

struct Settings {
    Index grid = 3;
    Index levels = 4;
    Index first_level = 0;
    Index test = 2;
    double angle = 0;  ///< of test 2's axis to that of the rotation [degrees]
    double step = 0;   ///< of time [s]; 0: 1800 s on grid 3, and half of it on each finer one
    double days = 0;   ///< 0: 12 for test 2, 15 for test 5
    Index steps = 0;   ///< 0: as many as `days` takes
    std::string form = "energy";
    std::string partition = "rcb";
    std::string exchange = "nonblocking";
    std::string exchanges = "packed";
    Index block = 32;
    Index work = 1;
    Index tries = 1;
    bool check_order = false;
    std::string matrix;
    Index matrix_ranks = 0;
    std::string graph;
    std::string json;
    bool help = false;
};

inline constexpr double seconds_a_day = 86'400;
inline constexpr Index stages = 4;  ///< of a step, each with one exchange

/// Complete: `step` and `steps` are not 0.
/// \throws InvalidInput
[[nodiscard]] Settings read_settings(std::span<const char* const> arguments);

[[nodiscard]] std::string help_text();

}  // namespace waywiser::shallow
