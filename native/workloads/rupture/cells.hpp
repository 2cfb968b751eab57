/// The cells of a rank, in the lanes of groups, with all data that their kernels read.
#pragma once

#include "workloads/common/array.hpp"
#include "workloads/rupture/clusters.hpp"
#include "workloads/rupture/geometry.hpp"
#include "workloads/rupture/kernels.hpp"

#include <mpi.h>

#include <vector>

namespace waywiser::rupture {

/// A face of the fault with its two cells, by their numbers in the mesh.
struct FaultFace {
    GhostFace minus;
    GhostFace plus;
};

/// Groups that step together: [begin, end). Groups before `shared_end` contain cells whose values other ranks need.
struct GroupRange {
    std::int64_t begin;
    std::int64_t shared_end;
    std::int64_t end;
};

template <class Real>
class Cells {
public:
    /// Creates the cells. Collective: neighbouring ranks exchange clusters and impedances of their cells.
    Cells(const MeshPart& mesh, const Problem& problem, int order, const Stepping& stepping, MPI_Comm communicator);

    static constexpr int width = lanes<Real>;

    /// The position of a cell. Clusters are consecutive, each in its own groups. Within a cluster, cells with
    /// neighbours on other ranks come first, then cells at the fault or next to shorter steps.
    [[nodiscard]] std::int64_t position(std::int32_t cell) const { return positions_[static_cast<std::size_t>(cell)]; }
    [[nodiscard]] std::int64_t group_count() const { return static_cast<std::int64_t>(groups.size()); }
    [[nodiscard]] const GroupRange& range(int cluster) const { return ranges_[static_cast<std::size_t>(cluster)]; }
    /// Index into `published` for a whole step, or for its first half if the neighbour's step is shorter.
    [[nodiscard]] std::int64_t slot(const GhostFace& face) const {
        return (position(face.cell) * 4 + face.face) * face_values_;
    }
    /// Slot of the second half of a step, or -1.
    [[nodiscard]] std::int64_t second_slot(const GhostFace& face) const {
        return second_slots_[static_cast<std::size_t>(face.cell)][static_cast<std::size_t>(face.face)];
    }
    /// Slot of a ghost. If the neighbour's step is longer, the slot of its second half follows.
    [[nodiscard]] std::int64_t ghost_slot(std::int64_t ghost) const {
        return ghost_slots_[static_cast<std::size_t>(ghost)];
    }
    [[nodiscard]] std::int64_t fault_slot(std::int64_t face, int side) const {
        return first_fault_slot_ + (2 * face + side) * face_values_;
    }
    [[nodiscard]] int face_values() const { return face_values_; }
    /// Position of a fault face among lanes. Groups of fault faces are also ordered by cluster.
    [[nodiscard]] std::int64_t fault_position(std::int64_t face) const {
        return fault_positions_[static_cast<std::size_t>(face)];
    }
    [[nodiscard]] std::int64_t fault_group_count() const { return fault_ranges_.back().end; }
    [[nodiscard]] const GroupRange& fault_range(int cluster) const {
        return fault_ranges_[static_cast<std::size_t>(cluster)];
    }
    [[nodiscard]] std::int64_t fault_trace(std::int64_t fault_position, int side) const {
        return ((fault_position / width) * 2 + side) * fault_side_values_ * width + fault_position % width;
    }
    [[nodiscard]] std::int64_t fault_trace_values() const {
        return fault_group_count() * 2 * fault_side_values_ * width;
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
    /// Memory per cell, on average [B].
    [[nodiscard]] double bytes_per_cell() const;

    const std::vector<Material> materials;  ///< indexed by cell
    const Clusters clusters;
    std::vector<GroupLanes<Real>> groups;
    Array<Real> q;          ///< groups x functions x 9 x lanes
    Array<Real> kept;       ///< groups x 4 x nodes x 3 x lanes
    Array<Real> published;  ///< slots x nodes x 3: values of cells, ghosts, fault faces, and second halves of steps
    std::vector<FaultFace> fault_faces;  ///< ordered by cluster
    std::vector<double> determinants;    ///< |J| = 6 V, by cell [m^3]

private:
    void number(const MeshPart& mesh);
    void find_fault(const MeshPart& mesh, const Problem& problem);
    void assign_slots(const MeshPart& mesh);
    void clear();
    void fill_group_constants(const MeshPart& mesh);
    void fill_faces(const MeshPart& mesh, MPI_Comm communicator);
    void fill_sources(const MeshPart& mesh);
    void fill_fault();
    [[nodiscard]] GroupLanes<Real>& group_of(std::int32_t cell) {
        return groups[static_cast<std::size_t>(position(cell) / width)];
    }
    [[nodiscard]] std::size_t lane_of(std::int32_t cell) const {
        return static_cast<std::size_t>(position(cell) % width);
    }

    int functions_;
    int face_values_;
    std::int64_t fault_side_values_;
    std::int64_t first_fault_slot_ = 0;
    std::vector<std::int64_t> positions_;
    std::vector<GroupRange> ranges_;
    std::vector<std::int64_t> fault_positions_;
    std::vector<GroupRange> fault_ranges_;
    std::vector<std::int64_t> ghost_slots_;
    std::vector<std::array<std::int64_t, 4>> second_slots_;
};

}  // namespace waywiser::rupture
