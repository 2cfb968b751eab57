#include "workloads/rupture/fault_state.hpp"

#include "workloads/common/threads.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace waywiser::rupture {
namespace {

template <class Real>
Array<Real> filled(std::int64_t size, Real value) {
    Array<Real> array(static_cast<std::size_t>(size));
    std::fill_n(array.data(), size, value);
    return array;
}

}  // namespace

template <class Real>
FaultState<Real>::FaultState(const MeshPart& mesh, const Problem& problem, const Reference& reference,
                             Cells<Real>& cells)
    : reference_(reference), cells_(cells), times_(line_quadrature(reference.order)) {
    constexpr int width = lanes<Real>;
    to_points_.assign(reference.to_points.values.begin(), reference.to_points.values.end());
    from_points_.assign(reference.from_points.values.begin(), reference.from_points.values.end());
    face_mass_.assign(reference.face_mass.values.begin(), reference.face_mass.values.end());
    groups_.resize(static_cast<std::size_t>(cells.fault_group_count()));
    const auto values = static_cast<std::int64_t>(groups_.size()) * friction_points(reference.order) * width;
    traces_ = filled<Real>(cells.fault_trace_values(), 0);
    initial_ = filled<Real>(3 * values, 0);
    path_ = filled<Real>(values, 0);
    slip_ = filled<Real>(3 * values, 0);
    rupture_time_ = filled<Real>(values, -1);
    peak_rate_ = filled<Real>(values, 0);
    scratch_ =
        filled<Real>(thread_limit() * static_cast<std::int64_t>(fault_scratch_values(reference.order)) * width, 0);
    work_.assign(groups_.size() * width, 0);
    predicted_work_.assign(groups_.size() * width, 0);
    if (!problem.rupture) return;
    law_ = problem.rupture->law;
    fill_constants(mesh);
    fill_state(mesh, *problem.rupture);
}

template <class Real>
void FaultState<Real>::fill_constants(const MeshPart& mesh) {
    constexpr int width = lanes<Real>;
    for (FaultLanes<Real>& group : groups_) {
        group = {};
        for (int lane = 0; lane < width; ++lane) {
            group.eta_s[lane] = 1;
            group.target[0][lane] = group.target[1][lane] = -1;
        }
    }
    for (std::int64_t i = 0; i < faces(); ++i) {
        const FaultFace& fault = cells_.fault_faces[static_cast<std::size_t>(i)];
        const std::int64_t position = cells_.fault_position(i);
        FaultLanes<Real>& group = groups_[static_cast<std::size_t>(position / width)];
        const auto lane = static_cast<std::size_t>(position % width);
        const Material& minus = cells_.materials[static_cast<std::size_t>(fault.minus.cell)];
        const Material& plus = cells_.materials[static_cast<std::size_t>(fault.plus.cell)];
        const Point normal =
            doubled_normal(mesh.vertices[static_cast<std::size_t>(fault.minus.cell)], fault.minus.face);
        const double doubled_area = std::hypot(normal[0], normal[1], normal[2]);
        for (std::size_t d = 0; d < 3; ++d) group.normal[d][lane] = static_cast<Real>(normal[d] / doubled_area);
        group.minus_p[lane] = static_cast<Real>(plus.zp() / (minus.zp() + plus.zp()));
        group.minus_s[lane] = static_cast<Real>(plus.zs() / (minus.zs() + plus.zs()));
        group.plus_p[lane] = static_cast<Real>(minus.zp() / (minus.zp() + plus.zp()));
        group.plus_s[lane] = static_cast<Real>(minus.zs() / (minus.zs() + plus.zs()));
        group.eta_s[lane] = static_cast<Real>(1 / (1 / minus.zs() + 1 / plus.zs()));
        group.doubled_area[lane] = static_cast<Real>(doubled_area);
        group.shear_modulus[lane] = static_cast<Real>((minus.mu + plus.mu) / 2);
        for (const int side : {0, 1}) group.target[side][lane] = cells_.fault_slot(i, side);
    }
}

template <class Real>
void FaultState<Real>::fill_state(const MeshPart& mesh, const Rupture& rupture) {
    constexpr int width = lanes<Real>;
    const int points = friction_points(reference_.order);
    for (std::int64_t i = 0; i < faces(); ++i) {
        const GhostFace& minus = cells_.fault_faces[static_cast<std::size_t>(i)].minus;
        const auto& vertices = mesh.vertices[static_cast<std::size_t>(minus.cell)];
        const std::int64_t position = cells_.fault_position(i);
        const FaultLanes<Real>& group = groups_[static_cast<std::size_t>(position / width)];
        const std::int64_t lane = position % width;
        const Point n{group.normal[0][lane], group.normal[1][lane], group.normal[2][lane]};
        for (int p = 0; p < points; ++p) {
            const Point& chi = reference_.points[static_cast<std::size_t>(p)].at;
            const Point at = to_cell(vertices, on_face(minus.face, chi[0], chi[1]));
            places_.push_back(at);
            const Stress s = rupture.stress(at);
            const Point traction{s[0] * n[0] + s[3] * n[1] + s[5] * n[2], s[3] * n[0] + s[1] * n[1] + s[4] * n[2],
                                 s[5] * n[0] + s[4] * n[1] + s[2] * n[2]};
            const std::int64_t begin = (position / width * points + p) * 3 * width + lane;
            for (std::int64_t d = 0; d < 3; ++d) {
                initial_[begin + d * width] = static_cast<Real>(traction[static_cast<std::size_t>(d)]);
            }
        }
    }
}

template <class Real>
void FaultState<Real>::advance(const GroupRange& range, double time, double dt) {
    constexpr int width = lanes<Real>;
    const int order = reference_.order;
    const std::int64_t values = static_cast<std::int64_t>(friction_points(order)) * width;
    const FrictionKernel<Real> kernel = find_friction<Real>(order);
    if (range.begin == range.end) return;
#pragma omp parallel for schedule(static)
    for (std::int64_t g = range.begin; g < range.end; ++g) {
        if (sampler_) sampler_(g, time, dt);
        kernel({.reference = &reference_,
                .times = times_.data(),
                .to_points = to_points_.data(),
                .from_points = from_points_.data(),
                .group = &groups_[static_cast<std::size_t>(g)],
                .law = law_,
                .face_mass = face_mass_.data(),
                .traces = traces_.data() + cells_.fault_trace(g * width, 0),
                .initial = initial_.data() + g * 3 * values,
                .path = path_.data() + g * values,
                .slip = slip_.data() + g * 3 * values,
                .rupture_time = rupture_time_.data() + g * values,
                .peak_rate = peak_rate_.data() + g * values,
                .work = work_.data() + g * width,
                .predicted_work = predicted_work_.data() + g * width,
                .published = cells_.published.data(),
                .scratch = scratch_.data() + thread_number() * fault_scratch_values(order) * width,
                .time = time,
                .dt = dt});
    }
}

template <class Real>
double FaultState<Real>::work_J() const {
    return std::accumulate(work_.begin(), work_.end(), 0.0);
}

template <class Real>
double FaultState<Real>::predicted_work_J() const {
    return std::accumulate(predicted_work_.begin(), predicted_work_.end(), 0.0);
}

template <class Real>
double FaultState<Real>::moment_Nm() const {
    constexpr std::int64_t width = lanes<Real>;
    const int points = friction_points(reference_.order);
    double sum = 0;
    for (std::int64_t i = 0; i < faces(); ++i) {
        const std::int64_t position = cells_.fault_position(i);
        const FaultLanes<Real>& group = groups_[static_cast<std::size_t>(position / width)];
        const std::int64_t lane = position % width;
        double integral = 0;
        for (int p = 0; p < points; ++p) {
            const std::int64_t at = (position / width * points + p) * 3 * width + lane;
            integral += reference_.points[static_cast<std::size_t>(p)].weight *
                        std::hypot(slip_[at], slip_[at + width], slip_[at + 2 * width]);
        }
        sum += integral * static_cast<double>(group.doubled_area[lane] * group.shear_modulus[lane]);
    }
    return sum;
}

template <class Real>
std::vector<FaultPoint> FaultState<Real>::points() const {
    constexpr std::int64_t width = lanes<Real>;
    const int points = friction_points(reference_.order);
    std::vector<FaultPoint> all;
    for (std::int64_t i = 0; i < faces(); ++i) {
        for (int p = 0; p < points; ++p) {
            const std::int64_t at = value(i, p);
            const std::int64_t slip = vector(i, p);
            all.push_back({places_[static_cast<std::size_t>(i * points + p)], rupture_time_[at],
                           std::hypot(slip_[slip], slip_[slip + width], slip_[slip + 2 * width]), peak_rate_[at]});
        }
    }
    return all;
}

template class FaultState<float>;
template class FaultState<double>;

}  // namespace waywiser::rupture
