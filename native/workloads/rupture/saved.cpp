#include "workloads/rupture/saved.hpp"

#include "workloads/rupture/solver.hpp"

#include <algorithm>
#include <numeric>

namespace waywiser::rupture {
namespace {

/// Faces in the order of their cells, irrespective of the order in which faces are computed.
std::vector<std::int64_t> by_cell(const std::vector<FaultFace>& faces) {
    std::vector<std::int64_t> order(faces.size());
    std::iota(order.begin(), order.end(), std::int64_t{0});
    std::ranges::sort(order, {}, [&](std::int64_t face) {
        const GhostFace& minus = faces[static_cast<std::size_t>(face)].minus;
        return std::array{minus.cell, minus.face};
    });
    return order;
}

/// Saves or restores coefficients in the order of the cells' numbers in the mesh, irrespective of groups.
template <class AnyCells, class Archive>
void pass_cells(AnyCells& cells, Archive& archive) {
    for (std::int32_t cell = 0; cell < static_cast<std::int32_t>(cells.materials.size()); ++cell) {
        for (int k = 0; k < cells.functions(); ++k) {
            for (int j = 0; j < quantities; ++j) {
                auto&& coefficient = cells.at(cells.position(cell), k, j);
                archive(coefficient);
            }
        }
    }
}

}  // namespace

template <class Real>
template <class Self, class Archive>
void FaultState<Real>::pass(Self& self, Archive& archive) {
    constexpr std::int64_t width = lanes<Real>;
    for (const std::int64_t face : by_cell(self.cells_.fault_faces)) {
        const auto position = static_cast<std::size_t>(self.cells_.fault_position(face));
        archive(self.work_[position]);
        archive(self.predicted_work_[position]);
        for (int p = 0; p < friction_points(self.reference_.order); ++p) {
            archive(self.path_[self.value(face, p)]);
            archive(self.rupture_time_[self.value(face, p)]);
            archive(self.peak_rate_[self.value(face, p)]);
            for (std::int64_t c = 0; c < 3; ++c) archive(self.slip_[self.vector(face, p) + c * width]);
        }
    }
}

template <class Real>
void FaultState<Real>::save(Saved& saved) const {
    pass(*this, saved);
}

template <class Real>
void FaultState<Real>::restore(SavedReader& saved) {
    pass(*this, saved);
}

template <class Real>
void Solver<Real>::save(Saved& saved) const {
    saved(time_s_);
    pass_cells(cells_, saved);
    fault_.save(saved);
}

template <class Real>
void Solver<Real>::restore(SavedReader& saved) {
    saved(time_s_);
    pass_cells(cells_, saved);
    fault_.restore(saved);
}

template void FaultState<float>::save(Saved& saved) const;
template void FaultState<double>::save(Saved& saved) const;
template void FaultState<float>::restore(SavedReader& saved);
template void FaultState<double>::restore(SavedReader& saved);
template void Solver<float>::save(Saved& saved) const;
template void Solver<double>::save(Saved& saved) const;
template void Solver<float>::restore(SavedReader& saved);
template void Solver<double>::restore(SavedReader& saved);

}  // namespace waywiser::rupture
