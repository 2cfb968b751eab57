/// Exact properties against which each run is checked.
#pragma once

#include "workloads/lattice/problem.hpp"
#include "workloads/lattice/solver.hpp"

#include <optional>
#include <vector>

namespace waywiser::lattice {

/// Relative errors of the checks.
struct Truths {
    double residual = 0;               ///< |b - D x| / |b| by `baseline`, for any variant that solved
    double hermiticity = 0;            ///< gamma_5 D gamma_5 compared with the adjoint of D
    double plaquette = 0;              ///< mean of the run's links
    double plaquette_change = 0;       ///< change of this mean by a gauge transform
    double covariance = 0;             ///< D after a gauge transform compared with the transform of D
    double plane_wave = 0;             ///< error of a plane wave with links of 1
    Complex eigenvalue;                ///< eigenvalue of the first plane wave
    std::optional<double> gauge;       ///< solution after a gauge transform
    std::vector<double> correlations;  ///< sum of the solution's squares for each t
    std::optional<double> correlator;  ///< error of these sums, if they have a closed form
};

/// Bound of `Truths::residual` for a solver with the settings' tolerance: |M^-1| is at most 1 / (1 - 64 kappa^2).
[[nodiscard]] double allowed_residual(const Settings& settings);
inline constexpr double allowed_error = 2e-14;
inline constexpr double allowed_gauge = 1e-12;
inline constexpr double allowed_plaquette_change = 1e-15;
/// Bound of `Truths::correlator`: |x|, and the error of x relative to the residual, are at most 1 / (1 - 8 kappa).
[[nodiscard]] double allowed_correlator(const Settings& settings);

/// A solution, and the objects that check it.
struct Judged {
    const Settings* settings;
    const Problem* problem;
    const Sites* sites;
    Links* links;
    Dirac* dirac;     ///< operator of the variant
    Dirac* baseline;  ///< operator of the baseline on the same fields
    Solver* solver;
    const Full* b;
    const Full* x;
    Ranks ranks;
};
/// Makes all checks of a solution. Collective. The links are 1 afterwards.
[[nodiscard]] Truths judge(const Judged& judged);

}  // namespace waywiser::lattice
