/// The passes of a time step. Each pass adds convection and other explicit terms, solves for the implicit terms, and
/// removes the divergence.
#pragma once

#include <span>

namespace waywiser::tbl {

enum class Scheme {
    cn_ab,  ///< one pass: convection by Adams-Bashforth, viscosity by Crank-Nicolson on all axes
    rk3,    ///< three Runge-Kutta passes, in which viscosity between the walls is by Crank-Nicolson
};

/// Weights of a pass, in units of the time step.
struct Pass {
    double interval;     ///< interval of implicit terms, the pressure and the force
    double now, before;  ///< weights of explicit terms: current ones, and those of the preceding pass
};

inline constexpr Pass passes_of_cn_ab[] = {{1, 1.5, -0.5}};

/// Coefficients of A. Wray. Source: P. Spalart, R. Moser and M. Rogers, J. Comput. Phys. 96 (1991), appendix A.
inline constexpr Pass passes_of_rk3[] = {
    {8. / 15, 8. / 15, 0}, {2. / 15, 5. / 12, -17. / 60}, {1. / 3, 3. / 4, -5. / 12}};

[[nodiscard]] constexpr std::span<const Pass> passes(Scheme scheme) {
    if (scheme == Scheme::cn_ab) return passes_of_cn_ab;
    return passes_of_rk3;
}

}  // namespace waywiser::tbl
