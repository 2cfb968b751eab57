// ww-rupture: elastic waves and spontaneous earthquake rupture by a discontinuous Galerkin scheme, in MPI and OpenMP.
#include "base/error.hpp"
#include "workloads/common/binding.hpp"
#include "workloads/common/peak.hpp"
#include "workloads/common/results.hpp"
#include "workloads/common/stopwatch.hpp"
#include "workloads/common/text.hpp"
#include "workloads/common/threads.hpp"
#include "workloads/rupture/gather.hpp"
#include "workloads/rupture/outputs.hpp"
#include "workloads/rupture/report.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>

namespace {

using namespace waywiser;
using namespace waywiser::rupture;

/// With --comm-thread, the dedicated thread and the main thread call MPI in turn.
constexpr int comm_thread_level = MPI_THREAD_SERIALIZED;

/// Sum over ranks of the best of five tries, each on all threads.
template <class Real>
double peak_flops_per_s(const Ranks& ranks) {
    double best = 0;
    for (int i = 0; i < 5; ++i) {
        Stopwatch watch;
        const double flops = multiply_add_flops<Real>();
        best = std::max(best, flops / watch.lap_s());
    }
    MPI_Allreduce(MPI_IN_PLACE, &best, 1, MPI_DOUBLE, MPI_SUM, ranks.communicator);
    return best;
}

/// Returns the arrival at the point of the whole fault that is closest to each station.
std::vector<Arrival> find_arrivals(const std::vector<Point>& stations, const std::vector<FaultPoint>& points,
                                   const Ranks& ranks) {
    std::vector<Arrival> arrivals;
    for (const Point& station : stations) {
        struct {
            double distance;
            int rank;
        } nearest{std::numeric_limits<double>::max(), ranks.rank};
        std::array<double, 3> seen{-1, 0, 0};
        for (const FaultPoint& point : points) {
            const double distance =
                std::hypot(point.at[0] - station[0], point.at[1] - station[1], point.at[2] - station[2]);
            if (distance >= nearest.distance) continue;
            nearest.distance = distance;
            seen = {point.rupture_time_s, point.slip_m, point.peak_rate_mps};
        }
        MPI_Allreduce(MPI_IN_PLACE, &nearest, 1, MPI_DOUBLE_INT, MPI_MINLOC, ranks.communicator);
        MPI_Bcast(seen.data(), 3, MPI_DOUBLE, nearest.rank, ranks.communicator);
        arrivals.push_back({station, nearest.distance, seen[0], seen[1], seen[2]});
    }
    return arrivals;
}

template <class Real>
class Program {
public:
    Program(const Settings& settings, const Ranks& ranks) : settings_(settings), ranks_(ranks) {}

    Run run() {
        order_ = static_cast<int>(settings_.order);
        return settings_.rupture() ? slip() : converge();
    }

    /// Fault points of a rupture, on rank 0.
    [[nodiscard]] const std::vector<FaultPoint>& fault_points() const { return fault_points_; }

private:
    Run converge() {
        const auto cells = static_cast<int>(settings_.cells);
        const ClosedForm coarse = make_closed_form(settings_.name, cells / 2, settings_.stretch);
        const ClosedForm fine = make_closed_form(settings_.name, cells, settings_.stretch);
        const double end_s = settings_.end_s > 0 ? settings_.end_s : fine.problem.end_s;
        const auto solve = [&](const ClosedForm& form, const Settings& settings) {
            Solver<Real> solver(make_box_part(form.box, ranks_.rank, ranks_.count), form.problem, order_,
                                stepping(end_s), settings_.comm_thread, ranks_);
            Outputs<Real> outputs(settings, solver, end_s, ranks_);
            Run run = describe(solver, end_s);
            advance(solver, run);
            outputs.write({});
            run.snapshots_s = outputs.snapshots_s();
            run.error = solver.error();
            finish(solver, run);
            return run;
        };
        Settings silent = settings_;
        silent.receivers = silent.snapshots = "";
        const double coarse_error = solve(coarse, silent).error;
        Run run = solve(fine, settings_);
        run.coarse_error = coarse_error;
        return run;
    }

    Run slip() {
        const Problem problem = make_rupture(settings_.name);
        MeshPart mesh = settings_.mesh.empty() ? built() : read();
        const double end_s = settings_.end_s > 0 ? settings_.end_s : problem.end_s;
        const auto intervals = static_cast<std::int64_t>(std::ceil(end_s / settings_.every_s * (1 - 1e-12)));
        const double interval_s = end_s / static_cast<double>(intervals);
        Solver<Real> solver(std::move(mesh), problem, order_, stepping(interval_s), settings_.comm_thread, ranks_);
        Outputs<Real> outputs(settings_, solver, interval_s, ranks_);
        require(outputs.done() < intervals,
                text("'%s' stands at %g s, and the run is to end at %g s: give a later --end", settings_.restart,
                     solver.time_s(), end_s));
        Run run = describe(solver, end_s);
        run.restarted_s = solver.time_s();
        run.energies = outputs.energies();
        for (std::int64_t i = outputs.done(); i < intervals; ++i) {
            advance(solver, run);
            run.energies.push_back(solver.energies());
            outputs.write(run.energies);
        }
        run.snapshots_s = outputs.snapshots_s();
        const std::vector<FaultPoint> points = solver.fault().points();
        if (problem.rupture) run.arrivals = find_arrivals(problem.rupture->stations, points, ranks_);
        if (!settings_.fault_csv.empty()) {
            fault_points_ = gather(points, ranks_);
            write_fault_map(settings_.fault_map(), solver, ranks_);
        }
        finish(solver, run);
        return run;
    }

    Stepping stepping(double interval_s) const {
        return {.local = settings_.local(), .cfl = settings_.cfl, .interval_s = interval_s};
    }

    MeshPart built() const {
        const Box box = make_rupture_box(settings_.name, settings_.spacing_m, settings_.growth, settings_.reach_m);
        return make_box_part(box, ranks_.rank, ranks_.count);
    }

    /// Reads the mesh. All ranks reject a part that cannot be read.
    MeshPart read() const {
        MeshPart mesh;
        std::string refusal;
        try {
            mesh = read_mesh_part(settings_.mesh, ranks_.rank, ranks_.count);
        } catch (const InvalidInput& error) {
            refusal = error.what();
        }
        int first = refusal.empty() ? ranks_.count : ranks_.rank;
        MPI_Allreduce(MPI_IN_PLACE, &first, 1, MPI_INT, MPI_MIN, ranks_.communicator);
        if (first == ranks_.count) return mesh;
        auto length = static_cast<int>(refusal.size());
        MPI_Bcast(&length, 1, MPI_INT, first, ranks_.communicator);
        refusal.resize(static_cast<std::size_t>(length));
        MPI_Bcast(refusal.data(), length, MPI_CHAR, first, ranks_.communicator);
        throw InvalidInput(refusal);
    }

    Run describe(const Solver<Real>& solver, double end_s) const {
        const double values = 4.0 * quantities * cell_functions(order_) + 4 * 4.0 * 3 * face_functions(order_);
        return {.settings = settings_,
                .ranks = ranks_.count,
                .cells = solver.all_cells(),
                .fault_faces = solver.all_fault_faces(),
                .clusters = solver.clusters().histogram,
                .steps = 0,
                .dt = solver.clusters().dt,
                .end_s = end_s,
                .seconds = 0,
                .times = {},
                .flops_per_update = solver.tables().flops_per_update,
                .bytes_per_update = values * sizeof(Real),
                .bytes_per_cell = solver.cells().bytes_per_cell(),
                .exchanged_bytes = 0,
                .peak_flops_per_s = 0,
                .energies = {},
                .arrivals = {},
                .snapshots_s = {}};
    }

    void advance(Solver<Real>& solver, Run& run) const {
        MPI_Barrier(ranks_.communicator);
        Stopwatch watch;
        solver.advance();
        run.seconds += slowest_s(watch.lap_s(), ranks_);
        run.steps += solver.clusters().ticks;
    }

    void finish(const Solver<Real>& solver, Run& run) const {
        run.peak_flops_per_s = peak_flops_per_s<Real>(ranks_);
        std::int64_t sent = solver.sent_bytes();
        MPI_Allreduce(MPI_IN_PLACE, &sent, 1, MPI_INT64_T, MPI_SUM, ranks_.communicator);
        run.exchanged_bytes = sent;
        const PhaseTimes& own = solver.times();
        run.times = {slowest_s(own.predict_s, ranks_), slowest_s(own.correct_s, ranks_), slowest_s(own.fault_s, ranks_),
                     slowest_s(own.exchange_s, ranks_)};
    }

    const Settings& settings_;
    const Ranks& ranks_;
    int order_ = 0;
    std::vector<FaultPoint> fault_points_;
};

void require_thread_level(const Settings& settings) {
    int level = MPI_THREAD_SINGLE;
    MPI_Query_thread(&level);
    require(!settings.comm_thread || level >= comm_thread_level,
            "--comm-thread needs an MPI library that lets any thread call it in turn (MPI_THREAD_SERIALIZED), which "
            "this one does not: leave it out");
}

template <class Real>
ExitCode solve_in(const Settings& settings, const Ranks& ranks) {
    Results results("rupture", {}, settings.json, ranks);
    const std::string remark = shared_cpus_remark(ranks);
    Program<Real> program(settings, ranks);
    const Run run = program.run();
    results.say(remark + summary(run));
    results.add(sample(run));
    if (ranks.rank == 0) {
        if (!settings.energies_csv.empty() && settings.rupture()) write_energies(run);
        if (!settings.fault_csv.empty() && settings.rupture()) write_fault(settings.fault_csv, program.fault_points());
    }
    return run.failure().empty() ? success : unverified;
}

ExitCode solve(const Settings& settings, const Ranks& ranks) {
    require_thread_level(settings);
    return settings.single() ? solve_in<float>(settings, ranks) : solve_in<double>(settings, ranks);
}

}  // namespace

int main(int argc, char** argv) {
    return run_workload<Settings>(argc, argv, solve, {energy_columns, arrival_columns}, comm_thread_level);
}
