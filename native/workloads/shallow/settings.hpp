/// Settings of ww-shallow.
#pragma once

#include "workloads/common/matrix_market.hpp"
#include "workloads/shallow/topology.hpp"

#include <string>

namespace waywiser::shallow {

struct Settings : MatrixSettings {
    Index grid = 3;
    Index levels = 4;
    Index first_level = 0;
    Index test = 2;
    double angle = 0;  ///< angle between the axes of test 2 and of the sphere [degrees]
    double step = 0;   ///< time step [s]; 0: 1800 s on grid 3, and half of it on each finer grid
    double days = 0;   ///< 0: 12 for test 2, 15 for test 5
    Index steps = 0;   ///< 0: the number of steps in `days`
    std::string form = "energy";
    std::string partition = "rcb";
    std::string exchange = "nonblocking";
    std::string exchanges = "packed";
    Index block = 0;  ///< 0: all cells of a thread
    Index work = 1;
    Index tries = 1;
    bool check_order = false;
    std::string graph;
    std::string json;
};

inline constexpr double seconds_a_day = 86'400;
inline constexpr Index stages = 4;  ///< stages of a step, each with one exchange

[[nodiscard]] Options options_of(Settings& settings);

/// Derives missing settings from those given.
/// \throws InvalidInput
void complete(Settings& settings);

}  // namespace waywiser::shallow
