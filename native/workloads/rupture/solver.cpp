#include "workloads/rupture/solver.hpp"

#include "workloads/common/stopwatch.hpp"
#include "workloads/common/threads.hpp"

#include <cmath>

namespace waywiser::rupture {
namespace {

std::int64_t sum(std::int64_t value, MPI_Comm communicator) {
    MPI_Allreduce(MPI_IN_PLACE, &value, 1, MPI_INT64_T, MPI_SUM, communicator);
    return value;
}

std::vector<std::vector<BasisValue>> basis_at(const std::vector<QuadraturePoint>& points, int order) {
    std::vector<std::vector<BasisValue>> basis;
    basis.reserve(points.size());
    for (const QuadraturePoint& point : points) basis.push_back(cell_basis(order, point.at));
    return basis;
}

}  // namespace

template <class Real>
Solver<Real>::Solver(MeshPart mesh, const Problem& problem, int order, const Stepping& stepping, bool comm_thread,
                     const Ranks& ranks)
    : mesh_(std::move(mesh)),
      problem_(problem),
      ranks_(ranks),
      reference_(order),
      tables_(reference_),
      kernels_(find_kernels<Real>(order)),
      cells_(mesh_, problem, order, stepping, ranks.communicator),
      fault_(mesh_, problem, reference_, cells_),
      messenger_(comm_thread),
      exchange_(mesh_, cells_, ranks.communicator, messenger_),
      scratch_(static_cast<std::size_t>(thread_limit()) * static_cast<std::size_t>(scratch_values(order)) *
               lanes<Real>),
      all_cells_(sum(mesh_.cells(), ranks.communicator)),
      all_fault_faces_(sum(fault_.faces(), ranks.communicator)) {
    if (problem.exact) start();
}

/// Sets q to the projection of the exact solution at time 0.
template <class Real>
void Solver<Real>::start() {
    const std::vector<QuadraturePoint> points = tetrahedron_quadrature(reference_.order + 2);
    const std::vector<std::vector<BasisValue>> basis = basis_at(points, reference_.order);
#pragma omp parallel for
    for (std::int32_t cell = 0; cell < mesh_.cells(); ++cell) {
        std::vector<State> sums(static_cast<std::size_t>(cells_.functions()));
        for (std::size_t i = 0; i < points.size(); ++i) {
            const Point at = to_cell(mesh_.vertices[static_cast<std::size_t>(cell)], points[i].at);
            const State exact = problem_.exact(at, 0);
            for (std::size_t k = 0; k < sums.size(); ++k) {
                for (std::size_t j = 0; j < exact.size(); ++j) {
                    sums[k][j] += points[i].weight * basis[i][k].value * exact[j];
                }
            }
        }
        for (int k = 0; k < cells_.functions(); ++k) {
            for (int j = 0; j < quantities; ++j) {
                cells_.at(cells_.position(cell), k, j) =
                    static_cast<Real>(sums[static_cast<std::size_t>(k)][static_cast<std::size_t>(j)]);
            }
        }
    }
}

template <class Real>
Work<Real> Solver<Real>::work(std::int64_t group, int cluster, std::int64_t tick) {
    constexpr std::int64_t width = lanes<Real>;
    const std::int64_t faces = 4 * cells_.face_values() * width;
    return {.tables = &tables_,
            .group = &cells_.groups[static_cast<std::size_t>(group)],
            .q = cells_.q.data() + group * cells_.functions() * quantities * width,
            .kept = cells_.kept.data() + group * faces,
            .published = cells_.published.data() + group * faces,
            .origin = cells_.published.data(),
            .fault_traces = fault_.traces(),
            .scratch = scratch_.data() + width * thread_number() * scratch_values(reference_.order),
            .dt = dt(cluster),
            .odd = static_cast<int>(tick >> cluster & 1)};
}

template <class Real>
void Solver<Real>::predict(int cluster, std::int64_t tick, std::int64_t begin, std::int64_t end) {
    Stopwatch watch;
#pragma omp parallel for schedule(static)
    for (std::int64_t group = begin; group < end; ++group) {
        if (sampler_) sampler_(group, time_s_, dt(cluster));
        kernels_.predict(work(group, cluster, tick));
    }
    times_.predict_s += watch.lap_s();
}

/// \param tick  tick at which the step began
template <class Real>
void Solver<Real>::correct(int cluster, std::int64_t tick) {
    Stopwatch watch;
    const GroupRange& range = cells_.range(cluster);
#pragma omp parallel for schedule(static)
    for (std::int64_t group = range.begin; group < range.end; ++group) kernels_.correct(work(group, cluster, tick));
    times_.correct_s += watch.lap_s();
}

/// Starts the next step of each cluster that is between two steps at `tick`, and ends the step of each cluster that is
/// between two steps at the next tick.
///
/// Values that a neighbour still has to read are not overwritten. A neighbour reads a sum when two shorter steps are
/// complete, at the same time as the cells that add to the sum. It reads the halves of a longer step before the longer
/// step ends.
template <class Real>
void Solver<Real>::step(std::int64_t tick) {
    const int beginning = clusters().standing(tick);
    Stopwatch watch;
    exchange_.open(tick);
    times_.exchange_s += watch.lap_s();
    for (int cluster = 0; cluster < beginning; ++cluster) {
        const GroupRange& range = cells_.range(cluster);
        predict(cluster, tick, range.begin, range.shared_end);
        watch.lap_s();
        exchange_.send(cluster, tick);
        times_.exchange_s += watch.lap_s();
    }
    for (int cluster = 0; cluster < beginning; ++cluster) {
        const GroupRange& range = cells_.range(cluster);
        predict(cluster, tick, range.shared_end, range.end);
        watch.lap_s();
        fault_.advance(cells_.fault_range(cluster), time_s_, dt(cluster));
        times_.fault_s += watch.lap_s();
    }
    for (int cluster = 0; cluster < clusters().standing(tick + 1); ++cluster) {
        watch.lap_s();
        exchange_.receive(cluster);
        times_.exchange_s += watch.lap_s();
        correct(cluster, tick + 1 - (std::int64_t{1} << cluster));
    }
    time_s_ += clusters().dt;
}

template <class Real>
void Solver<Real>::advance() {
    for (std::int64_t tick = 0; tick < clusters().ticks; ++tick) step(tick);
    Stopwatch watch;
    messenger_.finish_all();
    times_.exchange_s += watch.lap_s();
}

template <class Real>
double Solver<Real>::error() const {
    const std::vector<QuadraturePoint> points = tetrahedron_quadrature(reference_.order + 2);
    const std::vector<std::vector<BasisValue>> basis = basis_at(points, reference_.order);
    double difference = 0;
    double whole = 0;
#pragma omp parallel for reduction(+ : difference, whole)
    for (std::int32_t cell = 0; cell < mesh_.cells(); ++cell) {
        const auto c = static_cast<std::size_t>(cell);
        for (std::size_t i = 0; i < points.size(); ++i) {
            const State exact = problem_.exact(to_cell(mesh_.vertices[c], points[i].at), time_s_);
            const double weight = points[i].weight * cells_.determinants[c];
            for (int j = 0; j < quantities; ++j) {
                double value = 0;
                for (int k = 0; k < cells_.functions(); ++k) {
                    value += basis[i][static_cast<std::size_t>(k)].value *
                             static_cast<double>(cells_.at(cells_.position(cell), k, j));
                }
                const double truth = exact[static_cast<std::size_t>(j)];
                difference += weight * (value - truth) * (value - truth);
                whole += weight * truth * truth;
            }
        }
    }
    std::array<double, 2> sums{difference, whole};
    MPI_Allreduce(MPI_IN_PLACE, sums.data(), 2, MPI_DOUBLE, MPI_SUM, ranks_.communicator);
    return std::sqrt(sums[0] / sums[1]);
}

template <class Real>
Energies Solver<Real>::energies() const {
    double elastic = 0;
    double kinetic = 0;
#pragma omp parallel for reduction(+ : elastic, kinetic)
    for (std::int32_t cell = 0; cell < mesh_.cells(); ++cell) {
        const auto c = static_cast<std::size_t>(cell);
        const Material& m = cells_.materials[c];
        for (int k = 0; k < cells_.functions(); ++k) {
            State q{};
            for (int j = 0; j < quantities; ++j) {
                q[static_cast<std::size_t>(j)] = static_cast<double>(cells_.at(cells_.position(cell), k, j));
            }
            const double trace = q[0] + q[1] + q[2];
            const double square =
                q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + 2 * (q[3] * q[3] + q[4] * q[4] + q[5] * q[5]);
            const double reduced = square - m.lambda / (3 * m.lambda + 2 * m.mu) * trace * trace;
            elastic += cells_.determinants[c] * reduced / (4 * m.mu);
            kinetic += cells_.determinants[c] * m.rho / 2 * (q[6] * q[6] + q[7] * q[7] + q[8] * q[8]);
        }
    }
    std::array<double, 5> sums{elastic, kinetic, fault_.work_J(), fault_.moment_Nm(), fault_.predicted_work_J()};
    MPI_Allreduce(MPI_IN_PLACE, sums.data(), 5, MPI_DOUBLE, MPI_SUM, ranks_.communicator);
    return {time_s_, sums[0], sums[1], sums[2], sums[3], sums[4]};
}

template class Solver<float>;
template class Solver<double>;

}  // namespace waywiser::rupture
