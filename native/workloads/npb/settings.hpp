/// Settings of ww-npb.
#pragma once

#include "workloads/common/options.hpp"
#include "workloads/npb/classes.hpp"

#include <string>

namespace waywiser::npb {

struct Settings {
    std::string benchmark = "bt";
    std::string problem_class = "S";
    Index points = 0;  ///< points, iterations and dt are 0 until read, then the values of the class
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

    bool as_published = true;  ///< no option differs from the class
};

[[nodiscard]] Options options_of(Settings& settings);

/// Derives missing settings from those given.
/// \throws InvalidInput
void complete(Settings& settings);

}  // namespace waywiser::npb
