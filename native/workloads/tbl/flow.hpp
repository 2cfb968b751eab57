/// One rank's part of the flow: staggered velocities and the pressure between two walls, with their halos.
///
/// A cell (i, j, k) has its pressure at the centre, and each velocity on the face shared with the next cell along that
/// velocity's axis. The values of v on the walls are those of row -1 and of the last row.
#pragma once

#include "workloads/common/grid.hpp"
#include "workloads/tbl/layout.hpp"
#include "workloads/tbl/pencils.hpp"
#include "workloads/tbl/wall_grid.hpp"

#include <mpi.h>

#include <array>
#include <initializer_list>
#include <vector>

namespace waywiser::tbl {

using Field = Grid<double>;

inline constexpr std::array<std::size_t, 2> along_walls{0, 2};  ///< axes parallel to the walls, and velocity components

/// A no-slip wall, which may move, or a slip wall.
struct Wall {
    bool slip = false;
    double velocity = 0;  ///< velocity of a no-slip wall along axis 1

    /// Ghost value of a velocity parallel to the wall; `next` is the value in front of the wall.
    [[nodiscard]] double beyond(double next, std::size_t component) const {
        if (slip) return next;
        return (component == 0 ? 2 * velocity : 0) - next;
    }
};

/// Constants of the flow.
struct Domain {
    Cartesian cartesian;  ///< axis 1 is not divided
    std::array<double, 3> lengths;
    WallGrid wall_grid;
    Wall bottom;
    Wall top;
    double viscosity;
    double dt;
    MPI_Comm communicator;
    Solver solver;
    bool open = false;  ///< axis 1 has an inflow and an outflow, and is not periodic
    Scheme scheme = Scheme::cn_ab;

    [[nodiscard]] Index points(std::size_t axis) const { return cartesian.points()[axis]; }
    /// Spacing of a cell on axis 1 or 3.
    [[nodiscard]] double spacing(std::size_t axis) const { return lengths[axis] / static_cast<double>(points(axis)); }
    /// Global number of the rank's first cell on an axis.
    [[nodiscard]] Index first(std::size_t axis) const { return cartesian.owned().lo[axis]; }
    [[nodiscard]] Index3 owned() const { return cartesian.owned_points(); }
    [[nodiscard]] Shape shape() const {
        return {.points = cartesian.points(), .solver = solver, .open = open, .scheme = scheme};
    }
    /// Number of velocities of a row that satisfy the momentum equation; the velocity at the outflow is prescribed.
    [[nodiscard]] Index unknowns(std::size_t component) const { return points(0) - (open && component == 0 ? 1 : 0); }
    /// True if ranks share the lines of axis 2 and each rank eliminates its own rows.
    [[nodiscard]] bool shares_lines() const { return solver == Solver::partitioned && cartesian.ranks()[1] > 1; }
    [[nodiscard]] bool at_bottom() const { return first(1) == 0; }
    [[nodiscard]] bool at_top() const { return cartesian.owned().hi[1] == points(1); }
    /// Control volume of a velocity in row j of the rank.
    [[nodiscard]] double volume(std::size_t component, Index j) const {
        const Index row = first(1) + j;
        return spacing(0) * spacing(2) * (component == 1 ? wall_grid.gap(row) : wall_grid.size(row));
    }
};

/// Exchanges planes of cells with the neighbouring ranks; axis 3 is periodic, and axis 2 ends at the walls.
class Halo {
public:
    explicit Halo(const Domain& domain);

    /// Fills the halo plane on one side of axis 2 or 3. Collective.
    void fill(std::size_t axis, Side side, std::initializer_list<Field*> fields);

private:
    struct Neighbours {
        int low, high;
    };

    Index3 owned_;
    std::array<Neighbours, 3> neighbours_{};
    int rank_;
    MPI_Comm communicator_;
    Array<double> sent_;
    Array<double> received_;
};

class Flow {
public:
    explicit Flow(const Domain& domain);

    const Domain& domain;
    std::array<Field, 3> velocity;
    Field pressure;
    Field correction;  ///< correction of the pressure in a pass
    /// velocities at the inflow of a flow with open ends; value c of row (j, k) is component c
    Field inflow;
    Halo halo;

    /// Fills the halos of the velocities, including the walls and the ends of axis 1; values behind an outflow are
    /// kept. Collective.
    void complete_velocity();
    /// These fill only the halos that the divergence and the gradient of the correction read. Collective.
    void complete_for_divergence();
    void complete_correction();

private:
    void apply_walls();
    /// Sets the halo values of axis 1 in all rows, including halo rows.
    void end_rows(std::size_t component);
};

/// Calls `body(j, k)` for each row of the rank's cells; threads share the planes.
template <class Body>
void each_row(const Index3& owned, Body body) {
#pragma omp parallel for schedule(static)
    for (Index k = 0; k < owned[2]; ++k) {
        for (Index j = 0; j < owned[1]; ++j) body(j, k);
    }
}

struct Divergence {
    explicit Divergence(const Flow& flow);

    void row(Index j, Index k, double* out) const;

    const Flow& flow;
    double per_dx, per_dz;
};

}  // namespace waywiser::tbl
