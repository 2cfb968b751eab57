/// The inflow of a turbulent layer: a plane downstream, rescaled to the layer's thickness at the inflow.
///
/// Source: T. Lund, X. Wu and K. Squires, "Generation of turbulent inflow data for spatially-developing boundary layer
/// simulations", J. Comput. Phys. 140 (1998).
#pragma once

#include "workloads/tbl/flow.hpp"
#include "workloads/tbl/settings.hpp"

#include <vector>

namespace waywiser::tbl {

/// The rescaling of a layer's plane.
struct Rescaling {
    double friction;   ///< friction velocity at the inflow over that in the plane
    double thickness;  ///< thickness in the plane divided by that at the inflow
    double edge;       ///< velocity far from the wall in the plane
};

/// The mean that enters, and how it was found.
struct Entering {
    Rescaling by;
    double thickness;  ///< distance at which the velocity is 99 % of the outer velocity
    double edge;       ///< velocity far from the wall
};

class Recycling {
public:
    /// Collective. The flow's inflow is set.
    Recycling(const Domain& domain, const Teams& teams, const Flow& flow);

    /// Collective: sets the inflow from the plane, whose velocities must be complete.
    void renew(Flow& flow, double interval);

    [[nodiscard]] Entering entering() const {
        return {.by = by_, .thickness = thickness(inflow_), .edge = inflow_.back()};
    }

    /// Sets the velocity at the top: what the layer displaces between the inflow and the plane.
    void open_top(Flow& flow) const;

private:
    /// Means across of u and v, by row of the whole grid.
    struct Means {
        std::vector<double> u, v;
    };
    /// One rank's parts of an exchange, of `values` each.
    struct Parts {
        std::vector<int> counts, begins;

        void add(Index count);
    };

    /// Means of value i of all rows.
    [[nodiscard]] Means means_of(const Field& u, Index of_u, const Field& v, Index of_v) const;
    [[nodiscard]] Means means_of_plane(const Flow& flow) const;
    // Thicknesses of a mean profile, whose last row is far from the wall.
    [[nodiscard]] double displacement(const std::vector<double>& u) const;
    [[nodiscard]] double momentum(const std::vector<double>& u) const;
    [[nodiscard]] double thickness(const std::vector<double>& u) const;
    [[nodiscard]] Rescaling rescaling() const;
    void plan_exchanges(const Team& first, const Team& second);
    void remember(const Means& now, double interval);
    void gather(const Flow& flow);
    void take_means_out(const Means& now);
    [[nodiscard]] Means mean_inflow() const;
    [[nodiscard]] double value(std::size_t component, double y, Index plane) const;

    const Domain& domain_;
    Rescaling by_{};                       ///< rescaling of the last pass
    MPI_Comm column_, row_;                ///< the ranks that share axis 2, and axis 3
    Index station_;                        ///< cell of axis 1
    std::vector<double> centres_, faces_;  ///< positions of rows from the wall
    Means plane_;                          ///< running means there
    std::vector<double> inflow_;           ///< mean of u
    std::vector<Index> sent_planes_;       ///< numbers on this rank, in the order of its messages
    std::vector<Index> received_planes_;   ///< the planes at the inflow for which they are used
    Parts sent_parts_, received_parts_, row_parts_;
    std::vector<double> sent_, received_, own_rows_;
    std::vector<double> rows_;  ///< rows of the plane, for this rank's planes and the next one
};

}  // namespace waywiser::tbl
