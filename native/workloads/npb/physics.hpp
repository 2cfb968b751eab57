/// The compressible Navier-Stokes equations that BT, SP and LU solve on a cube of n x n x n points.
///
/// Source: D. Bailey et al., "The NAS Parallel Benchmarks", NAS Technical Report RNR-94-007, 1994, the chapter on the
/// simulated CFD applications. Unknowns are density, momentum on three axes, and total energy.
#pragma once

#include "workloads/common/cartesian.hpp"

#include <array>
#include <cmath>
#include <type_traits>

namespace waywiser::npb {

using Vector5 = std::array<double, 5>;

inline constexpr double heat_ratio = 1.4;                    ///< c1: ratio of specific heats
inline constexpr double pressure_factor = heat_ratio - 1;    ///< c2
inline constexpr double viscosity = 0.1 * 1.0;               ///< c3 c4
inline constexpr double heat_conduction = heat_ratio * 1.4;  ///< c1 c5, times viscosity
inline constexpr double normal_viscosity = 4.0 / 3.0;        ///< viscosity of the momentum along the derivative's axis
inline constexpr std::array<double, 3> diffusion{.75, .75, 1.};  ///< diffusion of every unknown, on each axis
inline constexpr double dissipation = 0.25;     ///< coefficient of fourth differences: max(diffusion) / 4
inline constexpr double over_relaxation = 1.2;  ///< omega of LU's sweeps

/// Factors of differences between points h apart.
struct Differences {
    explicit Differences(Index points) : first(0.5 * double(points - 1)), second(double((points - 1) * (points - 1))) {}
    double first;   ///< 1 / 2h, of central first differences
    double second;  ///< 1 / h^2
};

/// Quantities from which fluxes are computed, at one point, or at several points in the lanes of a register. Energies
/// are per unit of mass.
template <class Real = double>
struct Flow {
    /// \param u  five unknowns
    [[gnu::always_inline]] explicit Flow(const Real* u)
        : volume(1 / u[0]),
          velocity{u[1] * volume, u[2] * volume, u[3] * volume},
          kinetic(0.5 * (velocity[0] * velocity[0] + velocity[1] * velocity[1] + velocity[2] * velocity[2])),
          energy(u[4] * volume),
          pressure(pressure_factor * (u[4] - u[0] * kinetic)),
          work(pressure * volume) {}
    explicit Flow(const Vector5& u)
        requires std::is_same_v<Real, double>
        : Flow(u.data()) {}

    Real volume;  ///< volume of a unit of mass: 1 / density
    Real velocity[3];
    Real kinetic;
    Real energy;
    Real pressure;
    /// work of pressure: the difference of enthalpy and energy. The square of the speed of sound is heat_ratio times
    /// this work.
    Real work;
};
Flow(const Vector5&) -> Flow<double>;

/// Weights of the fourth difference at point `at` of 0 ... points - 1, from the second point before it to the second
/// point behind it. They are 1 -4 6 -4 1, and one-sided next to the faces.
[[nodiscard]] inline Vector5 fourth_difference(Index at, Index points) {
    Vector5 row{1, -4, 6, -4, 1};
    const auto cut = [&](Index from_face, std::size_t outer, std::size_t next) {
        if (from_face > 2) return;
        row[outer] = 0;
        if (from_face == 2) return;
        row[next] = 0;
        row[2] = 5;
    };
    cut(at, 0, 1);
    cut(points - 1 - at, 4, 3);
    return row;
}

}  // namespace waywiser::npb
