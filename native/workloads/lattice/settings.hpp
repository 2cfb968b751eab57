/// What a user asks of ww-lattice.
#pragma once

#include "workloads/lattice/layout.hpp"

#include <span>
#include <string>

namespace waywiser::lattice {

struct Settings {
    Index4 extents{8, 8, 8, 16};
    Index4 ranks{};  ///< 0: free
    double kappa = 0.12;
    std::string gauge = "random";
    double distance = 0;  ///< of near-unit links
    std::string source = "random";
    Index seed = 1;
    bool antiperiodic = false;
    double tolerance = 1e-12;
    Index iterations = 1000;
    std::string variant = "vector";
    Index tries = 3;
    bool check_gauge = false;
    std::string matrix;
    Index matrix_ranks = 0;
    std::string json;
    bool help = false;

    [[nodiscard]] bool is_free() const { return gauge == "unit"; }
    [[nodiscard]] bool is_point() const { return source == "point"; }
};

/// \throws InvalidInput
[[nodiscard]] Settings read_settings(std::span<const char* const> arguments);

[[nodiscard]] std::string help_text();

}  // namespace waywiser::lattice
