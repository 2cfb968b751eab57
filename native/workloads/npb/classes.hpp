/// The classes of problems, and what their results must be.
#pragma once

#include "workloads/npb/physics.hpp"

#include <optional>
#include <span>
#include <string_view>

namespace waywiser::npb {

struct ProblemClass {
    std::string_view name;
    Index points;  ///< on each axis
    Index iterations;
    double dt;
};

/// What the iterations of a class leave.
struct Norms {
    Vector5 residual;
    Vector5 error;
    std::optional<double> surface;  ///< integral of the pressure: of LU alone
};

/// Of "bt", "sp" or "lu", smallest first.
[[nodiscard]] std::span<const ProblemClass> classes_of(std::string_view benchmark);

/// The published values; none for classes D, E and F.
[[nodiscard]] std::optional<Norms> published(std::string_view benchmark, std::string_view problem_class);

/// Of the published values: relative, by the rules of the benchmarks.
inline constexpr double tolerance = 1e-8;

/// The greatest relative difference of any of the norms.
[[nodiscard]] double difference(const Norms& found, const Norms& expected);

}  // namespace waywiser::npb
