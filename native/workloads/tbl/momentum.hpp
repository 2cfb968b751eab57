/// The velocity at the end of a pass, before its divergence is removed. Implicit viscosity is a product of one
/// tridiagonal factor per axis; with Runge-Kutta, only the factor between the walls remains.
#pragma once

#include "workloads/tbl/equation.hpp"
#include "workloads/tbl/partitioned.hpp"
#include "workloads/tbl/tridiagonal.hpp"

#include <optional>

namespace waywiser::tbl {

/// The force that drives the flow along axis 1.
struct Drive {
    double force = 0;
    std::optional<double> bulk_velocity;  ///< bulk velocity that the force maintains, if set
};

class Momentum {
public:
    Momentum(const Domain& domain, const Teams& teams, const Drive& drive);

    /// Advances the flow's velocity, whose halos must be complete, by a pass of the scheme. Collective.
    void advance(Flow& flow, std::size_t pass);

    /// The force of the last pass.
    [[nodiscard]] double force() const { return drive_.force; }

    /// The mean of the velocity along axis 1 over the whole flow. Collective.
    [[nodiscard]] double bulk_velocity(const Flow& flow) const;

private:
    /// Systems of the lines between the walls, for the interval of a pass.
    struct WallLines {
        std::array<Factored, 2> whole;    ///< systems of u and w, and of v
        std::vector<Partitioned> shared;  ///< the same systems if ranks share lines, otherwise empty
        std::vector<double> response;     ///< change of the velocity per unit impulse, by row of the whole grid
        double mean_response;
    };

    [[nodiscard]] bool implicit_on_all_axes() const { return domain_.scheme == Scheme::cn_ab; }
    [[nodiscard]] WallLines wall_lines(double interval, const Team& team) const;
    [[nodiscard]] Weights weights(std::size_t pass) const;
    void changes(const Flow& flow, std::size_t component, const Weights& weights);
    void change_row(const Flow& flow, std::size_t component, Index j, Index k, const Weights& weights, double* change);
    void block(const Flow& flow, std::size_t component, Index first_row, Index k, const Weights& weights);
    void solve_along_axes_3_and_2(std::size_t component, std::size_t pass);
    void solve_along_axis_2(WallLines& lines, std::size_t matrix, double* with_axis_3);
    void keep_bulk_velocity(Flow& flow, double target, std::size_t pass);

    [[nodiscard]] Index offset(Index j, Index k) const { return owned_[0] * (j + owned_[1] * k); }

    const Domain& domain_;
    Index3 owned_;
    Drive drive_;
    Pencils pencils_;
    bool started_ = false;
    std::vector<std::array<Terms, 3>> terms_;  ///< terms of the rank's rows
    std::array<Factored, 2> along_axis_1_;     ///< systems of u, and of v and w
    Factored along_axis_3_;
    std::vector<WallLines> along_axis_2_;  ///< systems of each pass
    std::array<Array<double>, 3> taken_;   ///< explicit terms of the preceding pass
    std::array<Array<double>, 3> change_;
    std::vector<Array<double>> scratch_;  ///< scratch memory of each thread: a block of rows, and its transpose
};

}  // namespace waywiser::tbl
