#include "workloads/rupture/cells.hpp"

#include "workloads/rupture/neighbours.hpp"
#include "workloads/rupture/parcels.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace waywiser::rupture {
namespace {

std::vector<Material> materials_of(const MeshPart& mesh, const Problem& problem) {
    std::vector<Material> materials;
    materials.reserve(mesh.vertices.size());
    for (const auto& vertices : mesh.vertices) materials.push_back(problem.material(barycentre(vertices)));
    return materials;
}

/// Weights of the two characteristics in the traction of a face, for one kind of wave.
struct Weights {
    double own;
    double other;  ///< weight of the neighbour, whose normal points the other way
};

Weights weights(std::int32_t tag, double z, double z_other) {
    switch (tag) {
        case free_surface: return {0, 0};
        case absorbing: return {0.5, 0};
        case dynamic_rupture: return {0, 1};  // The kernel reads the whole jump.
        default: return {z_other / (z + z_other), -z / (z + z_other)};
    }
}

}  // namespace

template <class Real>
Cells<Real>::Cells(const MeshPart& mesh, const Problem& problem, int order, const Stepping& stepping,
                   MPI_Comm communicator)
    : materials(materials_of(mesh, problem)),
      clusters(mesh, materials, order, stepping, communicator),
      functions_(cell_functions(order)),
      face_values_(3 * face_functions(order)),
      fault_side_values_(static_cast<std::int64_t>(2 * order + 1) * face_values_) {
    determinants.reserve(mesh.vertices.size());
    for (const auto& vertices : mesh.vertices) determinants.push_back(determinant(vertices));
    number(mesh);
    find_fault(mesh, problem);
    assign_slots(mesh);
    clear();
    fill_group_constants(mesh);
    fill_faces(mesh, communicator);
    fill_sources(mesh);
    fill_fault();
}

template <class Real>
void Cells<Real>::number(const MeshPart& mesh) {
    std::vector<int> place(mesh.vertices.size(), 2);
    for (std::size_t cell = 0; cell < mesh.faces.size(); ++cell) {
        for (const MeshFace& face : mesh.faces[cell]) {
            const bool faster = clusters.difference(cell, face) < 0;
            if (face.tag == dynamic_rupture || faster) place[cell] = std::min(place[cell], 1);
            if (face.neighbour >= mesh.cells()) place[cell] = 0;
        }
    }
    positions_.resize(place.size());
    std::int64_t next = 0;
    const auto whole_groups = [&] { return (next + width - 1) / width; };
    for (int cluster = 0; cluster < clusters.count(); ++cluster) {
        GroupRange range{.begin = whole_groups(), .shared_end = 0, .end = 0};
        next = range.begin * width;
        for (int kind = 0; kind < 3; ++kind) {
            for (std::size_t cell = 0; cell < place.size(); ++cell) {
                if (clusters.of_cell[cell] == cluster && place[cell] == kind) positions_[cell] = next++;
            }
            if (kind == 0) range.shared_end = whole_groups();
        }
        range.end = whole_groups();
        ranges_.push_back(range);
    }
    groups.resize(static_cast<std::size_t>(whole_groups()));
}

template <class Real>
void Cells<Real>::find_fault(const MeshPart& mesh, const Problem& problem) {
    for (std::int32_t cell = 0; cell < mesh.cells(); ++cell) {
        const auto c = static_cast<std::size_t>(cell);
        for (std::int32_t face = 0; face < 4; ++face) {
            const MeshFace& beyond = mesh.faces[c][static_cast<std::size_t>(face)];
            if (beyond.tag != dynamic_rupture || !problem.rupture) continue;
            if (dot(doubled_normal(mesh.vertices[c], face), problem.rupture->towards) <= 0) continue;
            fault_faces.push_back({{cell, face}, {beyond.neighbour, beyond.neighbour_face}});
        }
    }
    fault_positions_.resize(fault_faces.size());
    std::int64_t next = 0;
    const auto whole_groups = [&] { return (next + width - 1) / width; };
    for (int cluster = 0; cluster < clusters.count(); ++cluster) {
        const std::int64_t begin = whole_groups();
        next = begin * width;
        for (std::size_t i = 0; i < fault_faces.size(); ++i) {
            const auto cell = static_cast<std::size_t>(fault_faces[i].minus.cell);
            if (clusters.of_cell[cell] == cluster) fault_positions_[i] = next++;
        }
        fault_ranges_.push_back({.begin = begin, .shared_end = begin, .end = whole_groups()});
    }
}

template <class Real>
void Cells<Real>::assign_slots(const MeshPart& mesh) {
    std::int64_t next = group_count() * width * 4 * face_values_;
    const auto take = [&](std::int64_t faces) { return std::exchange(next, next + faces * face_values_); };
    ghost_slots_.resize(mesh.ghosts.size());
    for (const Parcel& parcel : make_parcels(mesh, clusters)) {
        for (const std::int64_t ghost : parcel.ghosts) {
            ghost_slots_[static_cast<std::size_t>(ghost)] = take(parcel.there > parcel.here ? 2 : 1);
        }
    }
    first_fault_slot_ = take(2 * static_cast<std::int64_t>(fault_faces.size()));
    second_slots_.resize(mesh.faces.size());
    for (std::size_t cell = 0; cell < mesh.faces.size(); ++cell) {
        for (std::size_t face = 0; face < 4; ++face) {
            const bool faster = clusters.difference(cell, mesh.faces[cell][face]) < 0;
            second_slots_[cell][face] = faster ? take(1) : -1;
        }
    }
    published = Array<Real>(static_cast<std::size_t>(next));
}

/// Sets arrays to zero. Each thread touches first the parts that it will compute.
template <class Real>
void Cells<Real>::clear() {
    const std::int64_t per_group = std::int64_t{functions_} * quantities * width;
    const std::int64_t faces_per_group = 4LL * face_values_ * width;
    q = Array<Real>(groups.size() * static_cast<std::size_t>(per_group));
    kept = Array<Real>(groups.size() * static_cast<std::size_t>(faces_per_group));
    for (const GroupRange& range : ranges_) {
#pragma omp parallel for schedule(static)
        for (std::int64_t g = range.begin; g < range.end; ++g) {
            std::fill_n(q.data() + g * per_group, per_group, Real{0});
            std::fill_n(kept.data() + g * faces_per_group, faces_per_group, Real{0});
            std::fill_n(published.data() + g * faces_per_group, faces_per_group, Real{0});
        }
    }
    std::fill(published.data() + group_count() * faces_per_group, published.data() + published.size(), Real{0});
}

template <class Real>
void Cells<Real>::fill_group_constants(const MeshPart& mesh) {
    for (std::int64_t g = 0; g < group_count(); ++g) {
        // Lanes without a cell compute with zeros, and read their own zeros.
        GroupLanes<Real>& group = groups[static_cast<std::size_t>(g)];
        group = {};
        for (int lane = 0; lane < width; ++lane) {
            group.zp[lane] = group.zs[lane] = 1;
            for (int face = 0; face < 4; ++face) {
                FaceLanes<Real>& f = group.faces[face];
                f.source[0][lane] = f.source[1][lane] = ((g * width + lane) * 4 + face) * face_values_;
                f.second_half[lane] = group.fault_side[face][lane] = -1;
            }
        }
    }
    for (std::int32_t cell = 0; cell < mesh.cells(); ++cell) {
        const auto c = static_cast<std::size_t>(cell);
        const auto& v = mesh.vertices[c];
        const Material& m = materials[c];
        GroupLanes<Real>& group = group_of(cell);
        const std::size_t lane = lane_of(cell);
        for (std::size_t axis = 0; axis < 3; ++axis) {
            const Point row = cross(v[(axis + 1) % 3 + 1] - v[0], v[(axis + 2) % 3 + 1] - v[0]);
            for (std::size_t d = 0; d < 3; ++d) {
                group.inverse_jacobian[3 * axis + d][lane] = static_cast<Real>(row[d] / determinants[c]);
            }
        }
        group.lambda[lane] = static_cast<Real>(m.lambda);
        group.mu[lane] = static_cast<Real>(m.mu);
        group.inverse_rho[lane] = static_cast<Real>(1 / m.rho);
        group.zp[lane] = static_cast<Real>(m.zp());
        group.zs[lane] = static_cast<Real>(m.zs());
    }
}

template <class Real>
void Cells<Real>::fill_faces(const MeshPart& mesh, MPI_Comm communicator) {
    const auto impedances = [&](std::int32_t cell) {
        const Material& m = materials[static_cast<std::size_t>(cell)];
        return std::array{m.zp(), m.zs()};
    };
    std::vector<std::array<double, 2>> own_impedances;
    own_impedances.reserve(mesh.ghosts.size());
    for (const GhostFace& ghost : mesh.ghosts) own_impedances.push_back(impedances(ghost.cell));
    const std::vector<std::array<double, 2>> received = exchange_with_neighbours(mesh, own_impedances, communicator);

    for (std::int32_t cell = 0; cell < mesh.cells(); ++cell) {
        const auto c = static_cast<std::size_t>(cell);
        GroupLanes<Real>& group = group_of(cell);
        const std::size_t lane = lane_of(cell);
        const auto [zp, zs] = impedances(cell);
        for (int face = 0; face < 4; ++face) {
            const MeshFace& beyond = mesh.faces[c][static_cast<std::size_t>(face)];
            const std::int32_t ghost = beyond.neighbour - mesh.cells();
            const auto neighbour_impedances = beyond.neighbour < 0 ? std::array{zp, zs}
                                              : ghost < 0          ? impedances(beyond.neighbour)
                                                                   : received[static_cast<std::size_t>(ghost)];
            FaceLanes<Real>& f = group.faces[face];
            const Point normal = doubled_normal(mesh.vertices[c], face);
            const double doubled_area = std::sqrt(dot(normal, normal));
            for (std::size_t d = 0; d < 3; ++d) f.normal[d][lane] = static_cast<Real>(normal[d] / doubled_area);
            const Weights p = weights(beyond.tag, zp, neighbour_impedances[0]);
            const Weights s = weights(beyond.tag, zs, neighbour_impedances[1]);
            f.own_p[lane] = static_cast<Real>(p.own);
            f.own_s[lane] = static_cast<Real>(s.own);
            f.other_p[lane] = static_cast<Real>(p.other);
            f.other_s[lane] = static_cast<Real>(s.other);
            f.traction[lane] = beyond.tag == dynamic_rupture ? Real{0} : Real{1};
            f.lift[lane] = static_cast<Real>(doubled_area / determinants[c]);
            f.order[lane] = static_cast<std::uint8_t>(beyond.rotation);
            f.adds[lane] = clusters.difference(c, beyond) > 0 ? 1 : 0;
            f.second_half[lane] = second_slot({cell, face});
            group.sums = group.sums || f.adds[lane] != 0;
            group.halves = group.halves || f.second_half[lane] >= 0;
        }
    }
}

template <class Real>
void Cells<Real>::fill_sources(const MeshPart& mesh) {
    for (std::int32_t cell = 0; cell < mesh.cells(); ++cell) {
        const auto c = static_cast<std::size_t>(cell);
        for (int face = 0; face < 4; ++face) {
            const MeshFace& beyond = mesh.faces[c][static_cast<std::size_t>(face)];
            if (beyond.neighbour < 0 || beyond.tag != inside) continue;
            const GhostFace there{beyond.neighbour, beyond.neighbour_face};
            const std::int32_t ghost = beyond.neighbour - mesh.cells();
            const std::int64_t whole = ghost < 0 ? slot(there) : ghost_slot(ghost);
            const std::int64_t second = ghost < 0 ? second_slot(there) : whole + face_values_;
            const bool slower = clusters.difference(c, beyond) > 0;
            for (const int odd : {0, 1}) {
                group_of(cell).faces[face].source[odd][lane_of(cell)] = slower && odd == 1 ? second : whole;
            }
        }
    }
}

/// Both sides of a fault face number its nodes like the minus side.
template <class Real>
void Cells<Real>::fill_fault() {
    for (std::int64_t i = 0; i < static_cast<std::int64_t>(fault_faces.size()); ++i) {
        const FaultFace& fault = fault_faces[static_cast<std::size_t>(i)];
        for (const int side : {0, 1}) {
            const GhostFace& where = side == 0 ? fault.minus : fault.plus;
            GroupLanes<Real>& group = group_of(where.cell);
            const std::size_t lane = lane_of(where.cell);
            FaceLanes<Real>& f = group.faces[where.face];
            group.has_fault = true;
            group.fault_side[where.face][lane] = fault_trace(fault_position(i), side);
            f.source[0][lane] = f.source[1][lane] = fault_slot(i, side);
            if (side == 0) f.order[lane] = 3;
        }
    }
}

template <class Real>
double Cells<Real>::bytes_per_cell() const {
    const double values = static_cast<double>(q.size() + kept.size() + published.size());
    const double bytes = values * sizeof(Real) + static_cast<double>(groups.size() * sizeof(GroupLanes<Real>));
    return bytes / static_cast<double>(materials.size());
}

template class Cells<float>;
template class Cells<double>;

}  // namespace waywiser::rupture
