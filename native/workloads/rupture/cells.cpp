#include "workloads/rupture/cells.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace waywiser::rupture {
namespace {

Point operator-(const Point& a, const Point& b) { return {a[0] - b[0], a[1] - b[1], a[2] - b[2]}; }
double dot(const Point& a, const Point& b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }
Point cross(const Point& a, const Point& b) {
    return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}

double determinant(const std::array<Point, 4>& v) { return dot(v[1] - v[0], cross(v[2] - v[0], v[3] - v[0])); }

double insphere_radius(const std::array<Point, 4>& v) {
    double doubled_area = 0;
    for (int face = 0; face < 4; ++face) {
        const Point n = doubled_normal(v, face);
        doubled_area += std::sqrt(dot(n, n));
    }
    return determinant(v) / doubled_area;
}

/// Of the neighbours across ghost faces, in their order: what they say of the cells there.
std::vector<std::array<double, 2>> neighbours_say(const MeshPart& mesh, const std::vector<std::array<double, 2>>& said,
                                                  MPI_Comm communicator) {
    std::vector<std::array<double, 2>> heard(said.size());
    std::vector<MPI_Request> requests;
    std::size_t begin = 0;
    for (const NeighbourPart& neighbour : mesh.neighbours) {
        requests.resize(requests.size() + 2);
        const int count = 2 * neighbour.ghosts;
        MPI_Irecv(&heard[begin], count, MPI_DOUBLE, neighbour.part, 0, communicator, &requests[requests.size() - 2]);
        MPI_Isend(&said[begin], count, MPI_DOUBLE, neighbour.part, 0, communicator, &requests[requests.size() - 1]);
        begin += static_cast<std::size_t>(neighbour.ghosts);
    }
    MPI_Waitall(static_cast<int>(requests.size()), requests.data(), MPI_STATUSES_IGNORE);
    return heard;
}

/// Weights of a face's two characteristics in the traction there, for one kind of wave.
struct Weights {
    double own;
    double other;  ///< the neighbour's normal points the other way
};

Weights weights(std::int32_t tag, double z, double z_other) {
    switch (tag) {
        case free_surface: return {0, 0};
        case absorbing: return {0.5, 0};
        case dynamic_rupture: return {0, 1};  // what is read is the whole jump
        default: return {z_other / (z + z_other), -z / (z + z_other)};
    }
}

}  // namespace

Point doubled_normal(const std::array<Point, 4>& v, int face) {
    const auto& corner = face_vertices[static_cast<std::size_t>(face)];
    const auto at = [&](std::size_t j) { return v[static_cast<std::size_t>(corner[j])]; };
    return cross(at(1) - at(0), at(2) - at(0));
}

Point barycentre(const std::array<Point, 4>& v) {
    Point sum{};
    for (const Point& one : v) {
        for (std::size_t d = 0; d < 3; ++d) sum[d] += one[d] / 4;
    }
    return sum;
}

Point to_cell(const std::array<Point, 4>& v, const Point& xi) {
    Point at = v[0];
    for (std::size_t c = 0; c < 3; ++c) {
        for (std::size_t d = 0; d < 3; ++d) at[d] += xi[c] * (v[c + 1][d] - v[0][d]);
    }
    return at;
}

template <class Real>
Cells<Real>::Cells(const MeshPart& mesh, const Problem& problem, int order, MPI_Comm communicator)
    : shortest_step_s(std::numeric_limits<double>::infinity()),
      ghosts_(static_cast<std::int64_t>(mesh.ghosts.size())),
      functions_(cell_functions(order)),
      face_values_(3 * face_functions(order)),
      fault_side_values_(static_cast<std::int64_t>(2 * order + 1) * face_values_) {
    for (const auto& vertices : mesh.vertices) {
        const Material material = problem.material(barycentre(vertices));
        materials.push_back(material);
        determinants.push_back(determinant(vertices));
        shortest_step_s = std::min(shortest_step_s, 2 * insphere_radius(vertices) / (material.vp() * (2 * order - 1)));
    }
    number(mesh);
    const auto groups_u = groups.size();
    constexpr auto width_u = static_cast<std::size_t>(width);
    q = Array<Real>(groups_u * static_cast<std::size_t>(functions_) * quantities * width_u);
    kept = Array<Real>(groups_u * 4 * static_cast<std::size_t>(face_values_) * width_u);
    fill_group_constants(mesh);
    fill_fault(mesh, problem);
    published = Array<Real>(static_cast<std::size_t>(fault_slot(static_cast<std::int64_t>(fault_faces.size()), 0)));
    fill_faces(mesh, communicator);

    // First touched by the threads that compute them.
    const std::int64_t per_group = std::int64_t{functions_} * quantities * width;
    const std::int64_t faces_per_group = 4LL * face_values_ * width;
#pragma omp parallel for schedule(static)
    for (std::int64_t g = 0; g < group_count(); ++g) {
        std::fill_n(q.data() + g * per_group, per_group, Real{0});
        std::fill_n(kept.data() + g * faces_per_group, faces_per_group, Real{0});
        std::fill_n(published.data() + g * faces_per_group, faces_per_group, Real{0});
    }
    std::fill(published.data() + ghost_slot(0), published.data() + published.size(), Real{0});
}

template <class Real>
void Cells<Real>::number(const MeshPart& mesh) {
    std::vector<int> place(mesh.vertices.size(), 2);
    for (std::size_t cell = 0; cell < mesh.faces.size(); ++cell) {
        for (const MeshFace& face : mesh.faces[cell]) {
            if (face.tag == dynamic_rupture) place[cell] = std::min(place[cell], 1);
            if (face.neighbour >= mesh.cells()) place[cell] = 0;
        }
    }
    positions_.resize(place.size());
    std::int64_t next = 0;
    for (int wanted = 0; wanted < 3; ++wanted) {
        for (std::size_t cell = 0; cell < place.size(); ++cell) {
            if (place[cell] == wanted) positions_[cell] = next++;
        }
        if (wanted == 0) shared_groups_ = (next + width - 1) / width;
    }
    groups.resize(static_cast<std::size_t>((next + width - 1) / width));
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
                group.faces[face].source[lane] = ((g * width + lane) * 4 + face) * face_values_;
                group.fault_side[face][lane] = -1;
            }
        }
    }
    for (std::int32_t cell = 0; cell < mesh.cells(); ++cell) {
        const auto c = static_cast<std::size_t>(cell);
        const auto& v = mesh.vertices[c];
        const Material& m = materials[c];
        GroupLanes<Real>& group = groups[static_cast<std::size_t>(position(cell) / width)];
        const auto lane = static_cast<std::size_t>(position(cell) % width);
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
    std::vector<std::array<double, 2>> said;
    said.reserve(mesh.ghosts.size());
    for (const GhostFace& ghost : mesh.ghosts) said.push_back(impedances(ghost.cell));
    const std::vector<std::array<double, 2>> heard = neighbours_say(mesh, said, communicator);

    for (std::int32_t cell = 0; cell < mesh.cells(); ++cell) {
        const auto c = static_cast<std::size_t>(cell);
        GroupLanes<Real>& group = groups[static_cast<std::size_t>(position(cell) / width)];
        const auto lane = static_cast<std::size_t>(position(cell) % width);
        const auto [zp, zs] = impedances(cell);
        for (int face = 0; face < 4; ++face) {
            const MeshFace& beyond = mesh.faces[c][static_cast<std::size_t>(face)];
            const std::int32_t ghost = beyond.neighbour - mesh.cells();
            const auto other = beyond.neighbour < 0 ? std::array{zp, zs}
                               : ghost < 0          ? impedances(beyond.neighbour)
                                                    : heard[static_cast<std::size_t>(ghost)];
            FaceLanes<Real>& f = group.faces[face];
            const Point normal = doubled_normal(mesh.vertices[c], face);
            const double doubled_area = std::sqrt(dot(normal, normal));
            for (std::size_t d = 0; d < 3; ++d) f.normal[d][lane] = static_cast<Real>(normal[d] / doubled_area);
            const Weights p = weights(beyond.tag, zp, other[0]);
            const Weights s = weights(beyond.tag, zs, other[1]);
            f.own_p[lane] = static_cast<Real>(p.own);
            f.own_s[lane] = static_cast<Real>(s.own);
            f.other_p[lane] = static_cast<Real>(p.other);
            f.other_s[lane] = static_cast<Real>(s.other);
            f.traction[lane] = beyond.tag == dynamic_rupture ? Real{0} : Real{1};
            f.lift[lane] = static_cast<Real>(doubled_area / determinants[c]);
            f.order[lane] = static_cast<std::uint8_t>(beyond.rotation);
            if (beyond.neighbour >= 0 && beyond.tag == inside) {
                f.source[lane] = ghost < 0 ? slot({beyond.neighbour, beyond.neighbour_face}) : ghost_slot(ghost);
            }
        }
    }
    // Both sides of a fault face count its nodes as the minus side does.
    for (std::int64_t i = 0; i < static_cast<std::int64_t>(fault_faces.size()); ++i) {
        const FaultFace& fault = fault_faces[static_cast<std::size_t>(i)];
        for (const int side : {0, 1}) {
            const GhostFace& where = side == 0 ? fault.minus : fault.plus;
            GroupLanes<Real>& group = groups[static_cast<std::size_t>(position(where.cell) / width)];
            const auto lane = static_cast<std::size_t>(position(where.cell) % width);
            group.has_fault = true;
            group.fault_side[where.face][lane] = fault_trace(i, side);
            group.faces[where.face].source[lane] = fault_slot(i, side);
            if (side == 0) group.faces[where.face].order[lane] = 3;
        }
    }
}

template <class Real>
void Cells<Real>::fill_fault(const MeshPart& mesh, const Problem& problem) {
    for (std::int32_t cell = 0; cell < mesh.cells(); ++cell) {
        const auto c = static_cast<std::size_t>(cell);
        for (std::int32_t face = 0; face < 4; ++face) {
            const MeshFace& beyond = mesh.faces[c][static_cast<std::size_t>(face)];
            if (beyond.tag != dynamic_rupture || !problem.rupture) continue;
            if (dot(doubled_normal(mesh.vertices[c], face), problem.rupture->towards) <= 0) continue;
            fault_faces.push_back({{cell, face}, {beyond.neighbour, beyond.neighbour_face}});
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
