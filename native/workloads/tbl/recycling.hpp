/// The inflow of a turbulent layer, recycled from a plane downstream and rescaled to the thickness at the inflow.
///
/// Source: T. Lund, X. Wu and K. Squires, "Generation of turbulent inflow data for spatially-developing boundary layer
/// simulations", J. Comput. Phys. 140 (1998).
#pragma once

#include "workloads/tbl/flow.hpp"
#include "workloads/tbl/settings.hpp"

#include <vector>

namespace waywiser::tbl {

/// Ratios that rescale the plane to the inflow.
struct Rescaling {
    double friction;   ///< friction velocity at the inflow over that in the plane
    double thickness;  ///< thickness in the plane divided by that at the inflow
    double edge;       ///< free-stream velocity in the plane
};

/// The mean profile at the inflow, and its rescaling.
struct Entering {
    Rescaling by;
    double thickness;  ///< distance at which the velocity is 99 % of the outer velocity
    double edge;       ///< free-stream velocity
};

class Recycling {
public:
    /// The flow's inflow must be set. Collective.
    Recycling(const Domain& domain, const Teams& teams, const Flow& flow);

    /// Sets the inflow from the plane, whose velocities must be complete. Collective.
    void renew(Flow& flow, double interval);

    [[nodiscard]] Entering entering() const {
        return {.by = by_, .thickness = thickness(inflow_), .edge = inflow_.back()};
    }

    /// Sets v at the top to the growth of the displacement thickness between the inflow and the plane, per unit length.
    void open_top(Flow& flow) const;

private:
    /// Means of u and v over axis 3, by row of the whole grid.
    struct Means {
        std::vector<double> u, v;
    };
    /// Counts and displacements of an exchange, by rank.
    struct Parts {
        std::vector<int> counts, begins;

        void add(Index count);
    };

    /// Means of value `of_u` of u and value `of_v` of v in each row.
    [[nodiscard]] Means means_of(const Field& u, Index of_u, const Field& v, Index of_v) const;
    [[nodiscard]] Means means_of_plane(const Flow& flow) const;
    // Thicknesses of a mean profile, whose last row is in the free stream.
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
    Index station_;                        ///< cell of the plane on axis 1
    std::vector<double> centres_, faces_;  ///< distances of rows from the wall, which comes first
    Means plane_;                          ///< running means in the plane
    std::vector<double> inflow_;           ///< mean of u at the inflow
    std::vector<Index> sent_planes_;       ///< planes of this rank in the order of its messages
    std::vector<Index> received_planes_;   ///< planes of the inflow in the order of received values
    Parts sent_parts_, received_parts_, row_parts_;
    std::vector<double> sent_, received_, own_rows_;
    std::vector<double> rows_;  ///< rows of the whole grid, for this rank's planes and the next plane
};

}  // namespace waywiser::tbl
