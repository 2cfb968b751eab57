/// The momentum equation at the velocities of one row: convection in divergence form, viscosity, pressure and a force.
///
/// Averages of neighbours have equal weights, whatever the cells' sizes, and a flux through a face between two rows of
/// v is that of both cells. Convection therefore conserves momentum and kinetic energy where the divergence is zero.
/// Source: R. Verstappen and A. Veldman, "Symmetry-preserving discretization of turbulent flow", J. Comput. Phys. 187
/// (2003).
#pragma once

#include "workloads/tbl/flow.hpp"

namespace waywiser::tbl {

/// Factors of a row. A velocity that carries is a weighted sum of two: that before, and that behind on the axis of the
/// velocity that it carries.
struct Terms {
    std::array<double, 3> before{};  ///< coefficients of the carrying velocities along each axis
    std::array<double, 3> behind{};
    std::array<double, 3> low{};  ///< coefficients of the viscous fluxes on the low side of each axis
    std::array<double, 3> high{};
    double pressure = 0;
    double force = 0;
};

/// \param row  in the whole grid; of v not that on the top wall
[[nodiscard]] Terms terms_of(const Domain& domain, std::size_t component, Index row);

/// The start of a row's fields, and the distances of the neighbours.
struct Place {
    const double* own;  ///< the velocity of the component
    std::array<const double*, 3> carrying;
    const double* pressure;
    std::array<Index, 3> strides;
    Index own_stride;  ///< along the axis of the component
};

[[nodiscard]] Place place_of(const Flow& flow, std::size_t component, Index j, Index k);

/// Weights of what is explicit in a change: now, and a pass ago.
struct Weights {
    double interval;
    double now, before;
    Scheme scheme = Scheme::cn_ab;
};

/// change = interval * (-(now * taken + before * the previous `taken`) + all else); then `taken` is set to its present
/// value, the convection; with Runge-Kutta, minus the viscosity along the walls.
void momentum_row(const Place& place, const Terms& terms, const Weights& weights, Index points, double* taken,
                  double* change);

}  // namespace waywiser::tbl
