/// The classes of problems, and their correct results.
#pragma once

#include "workloads/npb/physics.hpp"

#include <optional>
#include <span>
#include <string_view>

namespace waywiser::npb {

struct ProblemClass {
    std::string_view name;
    Index points;  ///< points on each axis
    Index iterations;
    double dt;
};

/// Norms after the iterations of a class.
struct Norms {
    Vector5 residual;
    Vector5 error;
    std::optional<double> surface;  ///< integral of the pressure, for LU only
};

/// The classes of "bt", "sp" or "lu", smallest first.
[[nodiscard]] std::span<const ProblemClass> classes_of(std::string_view benchmark);

/// The published values; none for classes D, E and F.
[[nodiscard]] std::optional<Norms> published(std::string_view benchmark, std::string_view problem_class);

/// Relative tolerance of the published values, by the rules of the benchmarks.
inline constexpr double tolerance = 1e-8;

/// Relative tolerance between variants at every point after three steps.
inline constexpr double variants_tolerance = 1e-12;

/// The larger of `most` and the greatest difference of the unknowns at a point. Differences are relative to the
/// greatest unknown, because momenta may be close to zero.
[[nodiscard]] double greatest_difference(const Vector5& computed, const Vector5& expected, double most);

/// The largest relative difference of the norms.
[[nodiscard]] double difference(const Norms& computed, const Norms& expected);

}  // namespace waywiser::npb
