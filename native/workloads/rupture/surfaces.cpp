#include "workloads/rupture/surfaces.hpp"

#include <limits>

namespace waywiser::rupture {
namespace {

/// Corners of the four triangles into which the midpoints of its edges divide a face, as two barycentric coordinates.
constexpr std::array<std::array<std::array<double, 2>, 3>, 4> quarters{{
    {{{0, 0}, {0.5, 0}, {0, 0.5}}},
    {{{0.5, 0}, {1, 0}, {0.5, 0.5}}},
    {{{0, 0.5}, {0.5, 0.5}, {0, 1}}},
    {{{0.5, 0}, {0.5, 0.5}, {0, 0.5}}},
}};

std::vector<std::vector<double>> basis_at_corners(int order, int face) {
    std::vector<std::vector<double>> all;
    for (const auto& triangle : quarters) {
        for (const auto& [x, y] : triangle) {
            std::vector<double>& values = all.emplace_back();
            for (const BasisValue& function : cell_basis(order, on_face(face, x, y))) values.push_back(function.value);
        }
    }
    return all;
}

}  // namespace

template <class Real>
Snapshots<Real>::Snapshots(const std::string& path, std::vector<double> times_s, const Solver<Real>& solver,
                           const Ranks& ranks)
    : solver_(solver) {
    for (int face = 0; face < 4; ++face) {
        basis_[static_cast<std::size_t>(face)] = basis_at_corners(solver.reference().order, face);
    }
    const MeshPart& mesh = solver.mesh();
    for (std::int32_t cell = 0; cell < mesh.cells(); ++cell) {
        for (int face = 0; face < 4; ++face) {
            const MeshFace& beyond = mesh.faces[static_cast<std::size_t>(cell)][static_cast<std::size_t>(face)];
            if (beyond.tag == free_surface) add({cell, face}, free_surface);
        }
    }
    for (const FaultFace& fault : solver.cells().fault_faces) {
        add({fault.minus.cell, fault.minus.face}, dynamic_rupture);
    }
    series_ = std::make_unique<XdmfSeries>(
        path, corners_, tags_, std::vector<XdmfField>{{"velocity", "Vector", true}, {"stress", "Tensor6", true}},
        std::move(times_s), ranks);
}

template <class Real>
void Snapshots<Real>::add(const Face& face, std::int32_t tag) {
    faces_.push_back(face);
    const auto& vertices = solver_.mesh().vertices[static_cast<std::size_t>(face.cell)];
    for (const auto& triangle : quarters) {
        std::array<Point, 3>& corners = corners_.emplace_back();
        for (std::size_t j = 0; j < 3; ++j) {
            corners[j] = to_cell(vertices, on_face(face.face, triangle[j][0], triangle[j][1]));
        }
        tags_.push_back(tag);
    }
}

template <class Real>
void Snapshots<Real>::write() {
    const Cells<Real>& cells = solver_.cells();
    std::array<std::vector<float>, 2> values;  // velocity, stress
    for (const Face& face : faces_) {
        for (const std::vector<double>& basis : basis_[static_cast<std::size_t>(face.face)]) {
            State q{};
            for (std::size_t k = 0; k < basis.size(); ++k) {
                for (std::size_t j = 0; j < q.size(); ++j) {
                    q[j] += basis[k] * cells.at(cells.position(face.cell), static_cast<int>(k), static_cast<int>(j));
                }
            }
            for (const std::size_t j : {6U, 7U, 8U}) values[0].push_back(static_cast<float>(q[j]));
            for (const std::size_t j : {0U, 3U, 5U, 1U, 4U, 2U}) values[1].push_back(static_cast<float>(q[j]));
        }
    }
    series_->write(solver_.time_s(), values);
}

template <class Real>
void write_fault_map(const std::string& path, const Solver<Real>& solver, const Ranks& ranks) {
    const std::vector<FaultPoint> points = solver.fault().points();
    const std::vector<QuadraturePoint>& weights = solver.reference().points;
    std::vector<std::array<Point, 3>> triangles;
    std::array<std::vector<float>, 3> values;
    for (std::size_t face = 0; face < solver.cells().fault_faces.size(); ++face) {
        triangles.push_back(corners(solver.mesh(), solver.cells().fault_faces[face].minus));
        double ruptured = 0;
        double time = 0;
        double slip = 0;
        double rate = 0;
        for (std::size_t p = 0; p < weights.size(); ++p) {
            const FaultPoint& at = points[face * weights.size() + p];
            const double weight = 2 * weights[p].weight;
            slip += weight * at.slip_m;
            rate += weight * at.peak_rate_mps;
            if (at.rupture_time_s < 0) continue;
            ruptured += weight;
            time += weight * at.rupture_time_s;
        }
        values[0].push_back(ruptured > 0 ? static_cast<float>(time / ruptured)
                                         : std::numeric_limits<float>::quiet_NaN());
        values[1].push_back(static_cast<float>(slip));
        values[2].push_back(static_cast<float>(rate));
    }
    const std::vector<std::int32_t> tags(triangles.size(), dynamic_rupture);
    XdmfSeries map(
        path, triangles, tags,
        {{"rupture_time_s", "Scalar", false}, {"slip_m", "Scalar", false}, {"peak_rate_mps", "Scalar", false}}, {},
        ranks);
    map.write(solver.time_s(), values);
}

template class Snapshots<float>;
template class Snapshots<double>;
template void write_fault_map(const std::string& path, const Solver<float>& solver, const Ranks& ranks);
template void write_fault_map(const std::string& path, const Solver<double>& solver, const Ranks& ranks);

}  // namespace waywiser::rupture
