/// Settings of ww-npb.
#pragma once

#include "workloads/common/options.hpp"
#include "workloads/npb/classes.hpp"

#include <string>

namespace waywiser::npb {

struct Settings {
    std::string benchmark = "bt";
    std::string problem_class = "S";
    Index points = 0;  ///< points, iterations and dt are 0 until `complete` sets them to the values of the class
    Index iterations = 0;
    double dt = 0;
    std::string decomposition = "pencils";
    std::string messages = "exact";
    std::string variant = "auto";
    bool retune = false;
    bool roofline = false;
    Index tries = 1;
    std::string field;
    std::string json;

    bool as_published = true;  ///< points, iterations and dt are those of the class
};

[[nodiscard]] Options options_of(Settings& settings);

/// Sets missing settings to the values of the class.
/// \throws InvalidInput  if the class is unknown, or settings exclude each other
void complete(Settings& settings);

}  // namespace waywiser::npb
