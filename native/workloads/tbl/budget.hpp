/// Checks a flow against the balances that the discrete equations satisfy: energy, momentum and mass.
#pragma once

#include "workloads/tbl/momentum.hpp"

namespace waywiser::tbl {

/// Powers of the terms of the momentum equation in the whole flow, and residuals of the balances between them.
struct EnergyBudget {
    double kinetic_energy = 0;       ///< per unit volume, at density 1
    double perturbation_energy = 0;  ///< like kinetic_energy, for deviations from the mean of a plane
    double dissipation = 0;          ///< dissipation and powers are totals over the volume
    double wall_power = 0;
    double force_power = 0;
    double end_power = 0;  ///< power through the ends and the top of an open flow
    // Residuals are relative to the sum of the absolute powers of all three terms over all velocities.
    double convection_residual = 0;  ///< convection redistributes energy and produces none
    double pressure_residual = 0;    ///< pressure redistributes energy and produces none
    double viscosity_residual = 0;   ///< viscous power equals wall and end power minus dissipation

    [[nodiscard]] double worst_residual() const;
};

/// Collective. The flow's velocity must be complete and free of divergence.
[[nodiscard]] EnergyBudget energy_budget(const Flow& flow, double force);

/// Rate of change of momentum along axis 1 minus forces and fluxes through the boundary of a flow with open ends. The
/// difference is relative to the sum of the absolute rates by convection, pressure and viscosity. Collective.
[[nodiscard]] double momentum_imbalance(const Flow& flow);

/// Checks that momentum along axis 1 changes by the impulse of force and walls alone, to round-off.
class MomentumBudget {
public:
    /// Collective.
    MomentumBudget(const Flow& flow, const Momentum& momentum);

    /// Adds the impulse of a pass; call it after each pass. Not collective.
    void add_pass(const Flow& flow, double force, double interval);

    /// The change of the bulk velocity minus the impulse per unit volume. Collective.
    [[nodiscard]] double residual(const Flow& flow, const Momentum& momentum) const;

private:
    double start_;
    double walls_before_;  ///< force of the rank's parts of the walls after the preceding pass
    double walls_ = 0;
    double force_ = 0;
};

/// Mean shear stress on a wall divided by the density; 0 on a slip wall. Collective.
[[nodiscard]] double wall_shear(const Flow& flow, Side side);

/// The greatest divergence of the rank's cells, relative to 1 / dx + 1 / dy + 1 / dz. Overwrites the correction.
[[nodiscard]] double greatest_divergence(Flow& flow);

}  // namespace waywiser::tbl
