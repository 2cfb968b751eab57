/// What a user asks of ww-spectral.
#pragma once

#include "workloads/spectral/layout.hpp"

#include <span>
#include <string>

namespace waywiser::spectral {

struct Settings {
    Index truncation = 42;
    Index rings = 0;  ///< 0 until read: one more than the truncation
    std::string grid = "octahedral";
    Index levels = 8;
    RankGrid ranks{0, 0};  ///< 0: free
    std::string equations = "vorticity";
    double depth = 3000;
    Index wave_number = 4;
    Index wave_degree = 5;
    double omega = 7.848e-6;
    Index steps = 24;
    double dt = 600;
    std::string exchange = "alltoallv";
    Index seed = 1;
    Index tries = 3;
    std::string blas;
    std::string matrix;
    Index matrix_ranks = 0;
    std::string json;
    bool help = false;

    [[nodiscard]] bool is_octahedral() const { return grid == "octahedral"; }
    [[nodiscard]] bool is_shallow_water() const { return equations == "shallow-water"; }
};

/// \throws InvalidInput
[[nodiscard]] Settings read_settings(std::span<const char* const> arguments);

[[nodiscard]] std::string help_text();

}  // namespace waywiser::spectral
