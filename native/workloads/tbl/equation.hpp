/// The momentum equation at the velocities of one row: convection in divergence form, viscosity, pressure and a force.
///
/// Neighbours are averaged with equal weights, whatever the cells' sizes. The flux through a side face of a v volume is
/// that of the two half cells that the face spans. Convection therefore conserves momentum and kinetic energy where the
/// divergence is zero. Source: R. Verstappen and A. Veldman, "Symmetry-preserving discretization of turbulent flow", J.
/// Comput. Phys. 187 (2003).
#pragma once

#include "workloads/tbl/flow.hpp"

namespace waywiser::tbl {

/// Coefficients of a row. The convecting velocity at a face is a weighted sum of its values before and behind the
/// convected velocity, along the axis of the convected component.
struct Terms {
    std::array<double, 3> before{};  ///< weights of the convecting velocities of each axis
    std::array<double, 3> behind{};
    std::array<double, 3> low{};  ///< coefficients of the viscous fluxes on the low side of each axis
    std::array<double, 3> high{};
    double pressure = 0;
    double force = 0;
};

/// \param row  row of the whole grid; for v, a row below the top wall
[[nodiscard]] Terms terms_of(const Domain& domain, std::size_t component, Index row);

/// The start of a row in each field, and the strides to neighbours.
struct Place {
    const double* own;  ///< velocity of the component
    std::array<const double*, 3> carrying;
    const double* pressure;
    std::array<Index, 3> strides;
    Index own_stride;  ///< stride along the component's axis
};

[[nodiscard]] Place place_of(const Flow& flow, std::size_t component, Index j, Index k);

/// Weights of the explicit terms in a change: current terms, and those of the preceding pass.
struct Weights {
    double interval;
    double now, before;
    Scheme scheme = Scheme::cn_ab;
};

/// Computes change = interval * (other terms - now * explicit terms - before * `taken`), then stores the explicit terms
/// in `taken`. These are convection and, with Runge-Kutta, minus the viscosity along the walls.
void momentum_row(const Place& place, const Terms& terms, const Weights& weights, Index points, double* taken,
                  double* change);

}  // namespace waywiser::tbl
