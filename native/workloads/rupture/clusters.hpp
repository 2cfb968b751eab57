/// Local time stepping with rate 2: the clusters of cells that step together, and their steps.
///
/// A cell of cluster l takes steps of 2^l ticks of length dt. The number l is at most floor(log2(longest stable step of
/// the cell / shortest stable step of all cells)), and at most one more than any neighbour's. Both sides of a fault
/// have the same l.
///
/// Sources: A. Breuer, A. Heinecke, M. Bader, "Petascale local time stepping for the ADER-DG finite element method",
/// IEEE International Parallel and Distributed Processing Symposium, 2016, pp. 854-863, doi:10.1109/IPDPS.2016.109; C.
/// Uphoff and others, "Extreme scale multi-physics simulations of the tsunamigenic 2004 Sumatra megathrust earthquake",
/// SC17, 2017, doi:10.1145/3126908.3126948 (the two sides of a fault).
#pragma once

#include "workloads/rupture/mesh_file.hpp"
#include "workloads/rupture/problem.hpp"

#include <mpi.h>

#include <vector>

namespace waywiser::rupture {

struct Stepping {
    bool local;         ///< true: local time stepping; false: one cluster
    double cfl;         ///< step divided by 2 r / (v_p (2 order - 1)), where r is the radius of a cell's insphere
    double interval_s;  ///< all cells are at the same time after each interval
};

struct Clusters {
    /// Determines the clusters. Collective.
    /// \param materials  materials of this rank's cells
    Clusters(const MeshPart& mesh, const std::vector<Material>& materials, int order, const Stepping& stepping,
             MPI_Comm communicator);

    std::vector<std::int32_t> of_cell;    ///< clusters of this rank's cells
    std::vector<std::int32_t> of_ghost;   ///< clusters of the cells behind this rank's ghost faces
    std::vector<std::int64_t> histogram;  ///< number of cells of all ranks in each cluster
    std::int64_t ticks = 0;               ///< number of ticks in an interval, a multiple of the last cluster's step
    double dt = 0;                        ///< duration of a tick [s]

    [[nodiscard]] int count() const { return static_cast<int>(histogram.size()); }
    /// Number of leading clusters that are between two steps after `tick` ticks.
    [[nodiscard]] int standing(std::int64_t tick) const;
    /// Cluster of the cell behind a face less the cluster of the cell: -1, 0 or 1; 0 if there is no cell behind the
    /// face.
    [[nodiscard]] int difference(std::size_t cell, const MeshFace& face) const;
    /// Number of updates of all ranks' cells in an interval.
    [[nodiscard]] double updates() const;
};

}  // namespace waywiser::rupture
