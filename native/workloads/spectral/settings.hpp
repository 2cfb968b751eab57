/// Settings of ww-spectral.
#pragma once

#include "workloads/common/matrix_market.hpp"
#include "workloads/spectral/layout.hpp"

#include <string>

namespace waywiser::spectral {

struct Settings : MatrixSettings {
    Index truncation = 42;
    Index rings = 0;  ///< 0: one more than the truncation
    std::string grid = "octahedral";
    Index levels = 8;
    RankGrid ranks{0, 0};  ///< 0: free
    std::string equations = "vorticity";
    std::string start = "wave";
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
    std::string json;

    [[nodiscard]] bool is_octahedral() const { return grid == "octahedral"; }
    [[nodiscard]] bool is_shallow_water() const { return equations == "shallow-water"; }
    [[nodiscard]] bool is_triad() const { return start == "triad"; }
};

[[nodiscard]] Options options_of(Settings& settings);

/// Derives missing settings from those given.
/// \throws InvalidInput
void complete(Settings& settings);

}  // namespace waywiser::spectral
