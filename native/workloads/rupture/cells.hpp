/// The cells of a rank, in the lanes of groups, with all that their kernels read.
#pragma once

#include "workloads/common/array.hpp"
#include "workloads/rupture/kernels.hpp"
#include "workloads/rupture/problem.hpp"

#include <mpi.h>

#include <vector>

namespace waywiser::rupture {

/// A face of the fault with its two cells, by their numbers in the mesh.
struct FaultFace {
    GhostFace minus;
    GhostFace plus;
};

template <class Real>
class Cells {
public:
    /// Collective: neighbouring ranks tell each other the impedances of their cells.
    Cells(const MeshPart& mesh, const Problem& problem, int order, MPI_Comm communicator);

    static constexpr int width = lanes<Real>;

    /// Cells with neighbours on other ranks come first, then those at the fault.
    [[nodiscard]] std::int64_t position(std::int32_t cell) const { return positions_[static_cast<std::size_t>(cell)]; }
    [[nodiscard]] std::int64_t group_count() const { return static_cast<std::int64_t>(groups.size()); }
    /// Those that hold cells whose values other ranks await.
    [[nodiscard]] std::int64_t shared_groups() const { return shared_groups_; }
    /// Indices into `published`.
    [[nodiscard]] std::int64_t slot(const GhostFace& face) const {
        return (position(face.cell) * 4 + face.face) * face_values_;
    }
    [[nodiscard]] std::int64_t ghost_slot(std::int64_t ghost) const {
        return (group_count() * width * 4 + ghost) * face_values_;
    }
    [[nodiscard]] std::int64_t fault_slot(std::int64_t face, int side) const {
        return ghost_slot(ghosts_ + 2 * face + side);
    }
    [[nodiscard]] int face_values() const { return face_values_; }
    [[nodiscard]] std::int64_t fault_trace(std::int64_t face, int side) const {
        return ((face / width) * 2 + side) * fault_side_values_ * width + face % width;
    }
    [[nodiscard]] std::int64_t fault_trace_values() const {
        const std::int64_t fault_groups = (static_cast<std::int64_t>(fault_faces.size()) + width - 1) / width;
        return fault_groups * 2 * fault_side_values_ * width;
    }
    /// Coefficient of a quantity.
    [[nodiscard]] Real& at(std::int64_t position, int function, int quantity) {
        const std::int64_t group = position / width;
        return q[((group * functions_ + function) * quantities + quantity) * width + position % width];
    }
    [[nodiscard]] Real at(std::int64_t position, int function, int quantity) const {
        return const_cast<Cells&>(*this).at(position, function, quantity);
    }
    [[nodiscard]] int functions() const { return functions_; }
    /// All that is held for each cell, on average.
    [[nodiscard]] double bytes_per_cell() const;

    std::vector<GroupLanes<Real>> groups;
    Array<Real> q;          ///< groups x functions x 9 x lanes
    Array<Real> kept;       ///< groups x 4 x nodes x 3 x lanes
    Array<Real> published;  ///< slots x nodes x 3: of cells, ghosts, fault faces
    std::vector<FaultFace> fault_faces;
    std::vector<Material> materials;   ///< by cell
    std::vector<double> determinants;  ///< |J| = 6 V, by cell [m^3]
    double shortest_step_s;            ///< 2 r / (v_p (2 order - 1)) of this rank's cells, r of the insphere

private:
    void number(const MeshPart& mesh);
    void fill_group_constants(const MeshPart& mesh);
    void fill_faces(const MeshPart& mesh, MPI_Comm communicator);
    void fill_fault(const MeshPart& mesh, const Problem& problem);

    std::int64_t ghosts_;
    std::int64_t shared_groups_ = 0;
    int functions_;
    int face_values_;
    std::int64_t fault_side_values_;
    std::vector<std::int64_t> positions_;
};

/// Twice the area times the outward unit normal.
[[nodiscard]] Point doubled_normal(const std::array<Point, 4>& vertices, int face);
[[nodiscard]] Point barycentre(const std::array<Point, 4>& vertices);
/// From the reference tetrahedron to the cell.
[[nodiscard]] Point to_cell(const std::array<Point, 4>& vertices, const Point& xi);

}  // namespace waywiser::rupture
