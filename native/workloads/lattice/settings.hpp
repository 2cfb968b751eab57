/// Settings of ww-lattice.
#pragma once

#include "workloads/common/matrix_market.hpp"
#include "workloads/lattice/layout.hpp"

#include <string>

namespace waywiser::lattice {

struct Settings : MatrixSettings {
    Index4 extents{8, 8, 8, 16};
    Index4 ranks{};  ///< ranks on each axis; 0 permits any number
    double kappa = 0.12;
    std::string gauge = "random";
    double distance = 0;  ///< distance of near-unit links from 1
    std::string source = "random";
    Index seed = 1;
    bool antiperiodic = false;
    double tolerance = 1e-12;
    Index iterations = 1000;
    std::string variant = "vector";
    Index tries = 3;
    bool check_gauge = false;
    std::string json;

    [[nodiscard]] bool is_free() const { return gauge == "unit"; }
    [[nodiscard]] bool is_point() const { return source == "point"; }
};

[[nodiscard]] Options options_of(Settings& settings);

/// Reads the text of --gauge, and checks combinations of settings.
/// \throws InvalidInput  if the text is not valid, or settings exclude each other
void complete(Settings& settings);

}  // namespace waywiser::lattice
