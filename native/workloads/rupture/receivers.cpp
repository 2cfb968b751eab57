#include "workloads/rupture/receivers.hpp"

#include <algorithm>
#include <cmath>

namespace waywiser::rupture {
namespace {

/// Slack for a barycentric coordinate that rounding has made negative.
constexpr double slack = 1e-9;

/// Inverse of the Jacobian, whose element [3 c + d] is d xi_c / d x_d.
std::array<double, 9> inverse_jacobian(const std::array<Point, 4>& v) {
    const std::array<Point, 3> edges{v[1] - v[0], v[2] - v[0], v[3] - v[0]};
    const double determinant = dot(edges[0], cross(edges[1], edges[2]));
    std::array<double, 9> inverse{};
    for (std::size_t c = 0; c < 3; ++c) {
        const Point row = cross(edges[(c + 1) % 3], edges[(c + 2) % 3]);
        for (std::size_t d = 0; d < 3; ++d) inverse[3 * c + d] = row[d] / determinant;
    }
    return inverse;
}

Point to_reference(const std::array<Point, 4>& v, const std::array<double, 9>& inverse, const Point& at) {
    const Point from = at - v[0];
    Point xi{};
    for (std::size_t c = 0; c < 3; ++c) xi[c] = dot({inverse[3 * c], inverse[3 * c + 1], inverse[3 * c + 2]}, from);
    return xi;
}

bool holds(const std::array<Point, 4>& v, const Point& at) {
    for (std::size_t d = 0; d < 3; ++d) {
        const auto [low, high] = std::minmax({v[0][d], v[1][d], v[2][d], v[3][d]});
        const double room = slack * (high - low);
        if (at[d] < low - room || at[d] > high + room) return false;
    }
    const Point xi = to_reference(v, inverse_jacobian(v), at);
    return std::min({xi[0], xi[1], xi[2], 1 - xi[0] - xi[1] - xi[2]}) >= -slack;
}

/// True if a point is on a face, within a hundredth of the face's size.
bool on_triangle(const std::array<Point, 3>& corners, const Point& at) {
    const Point normal = cross(corners[1] - corners[0], corners[2] - corners[0]);
    const double doubled_area = std::sqrt(dot(normal, normal));
    const double off = std::abs(dot(at - corners[0], normal)) / doubled_area;
    if (off > 0.01 * std::sqrt(doubled_area)) return false;
    for (std::size_t j = 0; j < 3; ++j) {
        const Point edge = corners[(j + 1) % 3] - corners[j];
        if (dot(cross(edge, at - corners[j]), normal) < -slack * doubled_area * doubled_area) return false;
    }
    return true;
}

}  // namespace

template <class Real>
Receivers<Real>::Receivers(const std::string& points_file, const std::string& traces_file, double every_s,
                           std::int64_t kept_bytes, const Solver<Real>& solver, const Ranks& ranks)
    : solver_(solver),
      traces_(traces_file, read_points(points_file, ranks),
              {"velocity_x_mps", "velocity_y_mps", "velocity_z_mps", "stress_xx_Pa", "stress_yy_Pa", "stress_zz_Pa",
               "stress_xy_Pa", "stress_yz_Pa", "stress_xz_Pa"},
              every_s, ranks) {
    locate(points_file, ranks);
    traces_.open(kept_bytes);
}

template <class Real>
void Receivers<Real>::locate(const std::string& points_file, const Ranks& ranks) {
    const MeshPart& mesh = solver_.mesh();
    const Places cells{
        .count = mesh.cells(),
        .number = [&](std::int64_t cell) { return mesh.ids[static_cast<std::size_t>(cell)]; },
        .holds = [&](std::int64_t cell,
                     const Point& at) { return holds(mesh.vertices[static_cast<std::size_t>(cell)], at); }};
    const std::vector<std::int64_t> own =
        own_places(traces_.points(), cells, points_file, "is outside of the mesh", ranks);
    for (std::size_t i = 0; i < own.size(); ++i) {
        if (own[i] >= 0) receivers_.push_back(place(i, static_cast<std::int32_t>(own[i])));
    }
    const auto group = [&](const Receiver& receiver) {
        return static_cast<std::size_t>(solver_.cells().position(receiver.cell) / lanes<Real>);
    };
    std::ranges::stable_sort(receivers_, {}, group);
    begins_.assign(static_cast<std::size_t>(solver_.cells().group_count()) + 1, 0);
    for (const Receiver& receiver : receivers_) ++begins_[group(receiver) + 1];
    for (std::size_t g = 1; g < begins_.size(); ++g) begins_[g] += begins_[g - 1];
}

template <class Real>
Receivers<Real>::Receiver Receivers<Real>::place(std::size_t number, std::int32_t cell) const {
    const auto& vertices = solver_.mesh().vertices[static_cast<std::size_t>(cell)];
    Receiver receiver{.number = number,
                      .cell = cell,
                      .inverse_jacobian = inverse_jacobian(vertices),
                      .basis = {},
                      .next = traces_.times().next(solver_.time_s())};
    const Point xi = to_reference(vertices, receiver.inverse_jacobian, traces_.points()[number]);
    for (const BasisValue& function : cell_basis(solver_.reference().order, xi))
        receiver.basis.push_back(function.value);
    return receiver;
}

/// Returns the i-th derivative in time, computed from the preceding derivative as in Loops::differentiate.
template <class Real>
Receivers<Real>::Coefficients Receivers<Real>::differentiate(const Receiver& receiver, const Coefficients& q,
                                                             int i) const {
    const Material& m = solver_.cells().materials[static_cast<std::size_t>(receiver.cell)];
    Coefficients rates(static_cast<std::size_t>(cell_functions(solver_.reference().order - i)));
    for (std::size_t row = 0; row < rates.size(); ++row) {
        std::array<State, 3> gradient{};  // d q / d x_d
        for (std::size_t c = 0; c < 3; ++c) {
            const auto& matrix = solver_.tables().derivative[c];
            State along{};
            for (auto entry = static_cast<std::size_t>(matrix.begin[row]);
                 entry < static_cast<std::size_t>(matrix.end[static_cast<std::size_t>(i) - 1][row]); ++entry) {
                const State& from = q[static_cast<std::size_t>(matrix.column[entry])];
                for (std::size_t j = 0; j < from.size(); ++j) along[j] += matrix.value[entry] * from[j];
            }
            for (std::size_t d = 0; d < 3; ++d) {
                for (std::size_t j = 0; j < along.size(); ++j) {
                    gradient[d][j] += receiver.inverse_jacobian[3 * c + d] * along[j];
                }
            }
        }
        const auto& [x, y, z] = gradient;
        const double volume = m.lambda * (x[6] + y[7] + z[8]);
        rates[row] = {volume + 2 * m.mu * x[6],     volume + 2 * m.mu * y[7],     volume + 2 * m.mu * z[8],
                      m.mu * (y[6] + x[7]),         m.mu * (z[7] + y[8]),         m.mu * (z[6] + x[8]),
                      (x[0] + y[3] + z[5]) / m.rho, (x[3] + y[1] + z[4]) / m.rho, (x[5] + y[4] + z[2]) / m.rho};
    }
    return rates;
}

/// Returns the state at the point and its derivatives in time, at the start of the step.
template <class Real>
std::vector<State> Receivers<Real>::derivatives(const Receiver& receiver) const {
    const Cells<Real>& cells = solver_.cells();
    Coefficients q(receiver.basis.size());
    for (std::size_t k = 0; k < q.size(); ++k) {
        for (std::size_t j = 0; j < q[k].size(); ++j) {
            q[k][j] = cells.at(cells.position(receiver.cell), static_cast<int>(k), static_cast<int>(j));
        }
    }
    std::vector<State> at_point;
    for (int i = 0; i < solver_.reference().order; ++i) {
        if (i > 0) q = differentiate(receiver, q, i);
        State& sum = at_point.emplace_back();
        for (std::size_t k = 0; k < q.size(); ++k) {
            for (std::size_t j = 0; j < sum.size(); ++j) sum[j] += receiver.basis[k] * q[k][j];
        }
    }
    return at_point;
}

template <class Real>
void Receivers<Real>::sample(std::int64_t group, double time, double dt) {
    const auto g = static_cast<std::size_t>(group);
    const SampleTimes& times = traces_.times();
    for (Receiver& receiver : std::span(receivers_).subspan(begins_[g], begins_[g + 1] - begins_[g])) {
        if (!times.before(receiver.next, time + dt)) continue;
        const std::vector<State> taylor = derivatives(receiver);
        for (; times.before(receiver.next, time + dt); ++receiver.next) {
            const double since = times.at_s(receiver.next) - time;
            double factor = 1;
            State q{};
            for (std::size_t i = 0; i < taylor.size(); ++i) {
                for (std::size_t j = 0; j < q.size(); ++j) q[j] += factor * taylor[i][j];
                factor *= since / static_cast<double>(i + 1);
            }
            traces_.add(receiver.number, receiver.next,
                        std::array{q[6], q[7], q[8], q[0], q[1], q[2], q[3], q[4], q[5]});
        }
    }
}

template <class Real>
FaultReceivers<Real>::FaultReceivers(const std::string& points_file, const std::string& traces_file, double every_s,
                                     std::int64_t kept_bytes, const Solver<Real>& solver, const Ranks& ranks)
    : solver_(solver),
      traces_(traces_file, read_points(points_file, ranks),
              {"slip_rate_x_mps", "slip_rate_y_mps", "slip_rate_z_mps", "slip_x_m", "slip_y_m", "slip_z_m",
               "traction_x_Pa", "traction_y_Pa", "traction_z_Pa", "path_m", "friction"},
              every_s, ranks) {
    locate(points_file, ranks);
    traces_.open(kept_bytes);
}

template <class Real>
void FaultReceivers<Real>::locate(const std::string& points_file, const Ranks& ranks) {
    const MeshPart& mesh = solver_.mesh();
    const std::vector<Point>& points = traces_.points();
    const auto minus = [&](std::int64_t face) {
        return solver_.cells().fault_faces[static_cast<std::size_t>(face)].minus;
    };
    const Places faces{
        .count = solver_.fault().faces(),
        .number = [&](std::int64_t face) { return mesh.ids[static_cast<std::size_t>(minus(face).cell)]; },
        .holds = [&](std::int64_t face, const Point& at) { return on_triangle(corners(mesh, minus(face)), at); }};
    const std::vector<std::int64_t> own = own_places(points, faces, points_file, "is not on the fault", ranks);
    for (std::size_t i = 0; i < own.size(); ++i) {
        if (own[i] < 0) continue;
        const std::span<const Point> places = solver_.fault().places(own[i]);
        const auto nearest = std::ranges::min_element(places, {}, [&](const Point& at) {
            const Point offset = at - points[i];
            return dot(offset, offset);
        });
        receivers_.push_back({.number = i,
                              .face = own[i],
                              .point = static_cast<int>(nearest - places.begin()),
                              .next = traces_.times().next(solver_.time_s())});
    }
}

template <class Real>
void FaultReceivers<Real>::sample(std::int64_t group, double time, double dt) {
    const SampleTimes& times = traces_.times();
    for (Receiver& receiver : receivers_) {
        if (solver_.cells().fault_position(receiver.face) / lanes<Real> != group) continue;
        for (; times.before(receiver.next, time + dt); ++receiver.next) {
            const FaultSample s =
                solver_.fault().sample(receiver.face, receiver.point, times.at_s(receiver.next) - time);
            traces_.add(receiver.number, receiver.next,
                        std::array{s.rate_mps[0], s.rate_mps[1], s.rate_mps[2], s.slip_m[0], s.slip_m[1], s.slip_m[2],
                                   s.traction_Pa[0], s.traction_Pa[1], s.traction_Pa[2], s.path_m, s.friction});
        }
    }
}

template class Receivers<float>;
template class Receivers<double>;
template class FaultReceivers<float>;
template class FaultReceivers<double>;

}  // namespace waywiser::rupture
