/// The velocity of the next step, before its divergence is removed. Convection is by Adams and Bashforth, viscosity by
/// Crank and Nicolson, whose operator is a product of one tridiagonal factor an axis.
#pragma once

#include "workloads/tbl/equation.hpp"
#include "workloads/tbl/partitioned.hpp"
#include "workloads/tbl/tridiagonal.hpp"

#include <optional>

namespace waywiser::tbl {

/// What drives the flow along axis 1.
struct Drive {
    double force = 0;
    std::optional<double> bulk_velocity;  ///< that the force keeps, from step to step
};

class Momentum {
public:
    Momentum(const Domain& domain, const Teams& teams, const Drive& drive);

    /// Collective: changes the flow's velocity, whose halos must be complete.
    void advance(Flow& flow);

    /// The force of the last step.
    [[nodiscard]] double force() const { return drive_.force; }

    /// The mean of a velocity along axis 1 over the whole flow. Collective.
    [[nodiscard]] double bulk_velocity(const Flow& flow) const;

private:
    void changes_along_axis_1(const Flow& flow, std::size_t component);
    void block(const Flow& flow, std::size_t component, Index first_row, Index k, const Weights& weights);
    void solve_along_axes_3_and_2(std::size_t component);
    void solve_along_axis_2(std::size_t matrix, double* with_axis_3);
    void keep_bulk_velocity(Flow& flow, double wanted);

    [[nodiscard]] Index offset(Index j, Index k) const { return owned_[0] * (j + owned_[1] * k); }

    const Domain& domain_;
    Index3 owned_;
    Drive drive_;
    Pencils pencils_;
    bool started_ = false;
    std::vector<std::array<Terms, 3>> terms_;  ///< of the rank's rows
    std::array<Factored, 2> along_axis_1_;     ///< of u, and of velocities across
    Factored along_axis_3_;
    std::array<Factored, 2> along_axis_2_;  ///< of velocities along the walls, and of v
    std::vector<Partitioned> shared_;       ///< as `along_axis_2_`, if ranks share lines; empty otherwise
    std::vector<double> response_;          ///< of the velocity to a force, row by row of the whole grid
    double mean_response_ = 0;
    std::array<Array<double>, 3> convection_;  ///< of the step before
    std::array<Array<double>, 3> change_;
    std::vector<Array<double>> scratch_;  ///< of each thread: a block of rows, and the same as lanes
};

}  // namespace waywiser::tbl
