/// Compares a flow with the balances that the discrete equations keep.
#pragma once

#include "workloads/tbl/momentum.hpp"

namespace waywiser::tbl {

/// Powers of the terms of the momentum equation in the whole flow, and what is left of each where it must vanish.
struct EnergyBudget {
    double kinetic_energy = 0;       ///< per volume, with a density of 1
    double perturbation_energy = 0;  ///< like kinetic_energy, of deviations from the mean of row and layer
    double dissipation = 0;          ///< dissipation and powers are of the whole volume
    double wall_power = 0;
    double force_power = 0;
    double end_power = 0;  ///< power of all three terms, through the ends and the top of an open flow
    // Relative to the sum of the absolute powers of all three at all velocities:
    double convection_residual = 0;  ///< convection moves energy, and makes none
    double pressure_residual = 0;    ///< pressure moves energy, and makes none
    double viscosity_residual = 0;   ///< viscous power equals that of walls and ends less dissipation

    [[nodiscard]] double worst_residual() const;
};

/// Collective. The flow's velocity must be complete and free of divergence.
[[nodiscard]] EnergyBudget energy_budget(const Flow& flow, double force);

/// The excess of the rates of momentum along axis 1 over the forces and fluxes on the surface of a flow with open ends.
/// The imbalance is relative to the sum of the absolute rates by convection, pressure and viscosity. Collective.
[[nodiscard]] double momentum_imbalance(const Flow& flow);

/// Momentum along axis 1 is what force and walls have given, to round-off.
class MomentumBudget {
public:
    /// Collective.
    MomentumBudget(const Flow& flow, const Momentum& momentum);

    /// Adds the force of a pass. Called after each pass; not collective.
    void add_pass(const Flow& flow, double force, double interval);

    /// The excess of the bulk velocity over the momentum given, in units of velocity. Collective.
    [[nodiscard]] double residual(const Flow& flow, const Momentum& momentum) const;

private:
    double start_;
    double walls_before_;  ///< power of the rank's parts of the walls
    double walls_ = 0;
    double force_ = 0;
};

/// Shear stress on a wall over the density, the mean over the wall; 0 on one with slip. Collective.
[[nodiscard]] double wall_shear(const Flow& flow, Side side);

/// The greatest divergence of the rank's cells, relative to a unit of velocity across a cell. Overwrites the
/// correction.
[[nodiscard]] double greatest_divergence(Flow& flow);

}  // namespace waywiser::tbl
