/// Averages over planes parallel to the walls and over time: the mean profile and the Reynolds stresses.
#pragma once

#include "workloads/tbl/flow.hpp"

#include <vector>

namespace waywiser::tbl {

/// Averages of a flow of density 1. Averages on faces are on the upper face of each row; the last face is the top wall.
struct Profiles {
    Index steps = 0;  ///< number of averaged steps
    std::vector<double> y_centre, u, uu, ww;
    std::vector<double> y_face, vv, uv;
    std::vector<double> stress;  ///< viscous and Reynolds stress on faces
    double stress_bottom = 0;    ///< stress on the bottom wall
    double bulk_velocity = 0;

    /// Friction velocity from the mean stress of the no-slip walls.
    [[nodiscard]] double friction_velocity(const Domain& domain) const;
    /// Greatest difference of the stress from a straight line between the walls' stresses, relative to the greater of
    /// the two. If a uniform force keeps the flow steady, the stress is linear.
    [[nodiscard]] double stress_residual(const Domain& domain) const;
};

class Statistics {
public:
    explicit Statistics(const Domain& domain);

    /// Adds velocities whose halos are complete. Not collective.
    void add(const Flow& flow);

    [[nodiscard]] Index steps() const { return steps_; }

    /// Collective.
    [[nodiscard]] Profiles profiles() const;

private:
    enum Moment { u, w, uu, vv, ww, uv, moments };

    const Domain& domain_;
    Index steps_ = 0;
    std::vector<std::array<double, moments>> sums_;  ///< sums over the rank's cells, by row of the whole grid
};

}  // namespace waywiser::tbl
