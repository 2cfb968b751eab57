// ww-rupture: elastic waves and spontaneous earthquake rupture by a discontinuous Galerkin scheme, in MPI and OpenMP.
#include "base/error.hpp"
#include "workloads/common/binding.hpp"
#include "workloads/common/peak.hpp"
#include "workloads/common/program.hpp"
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

/// Equal steps over a time, none longer than the stable one.
struct Steps {
    Steps(double seconds, double longest_s) : count(std::llround(std::ceil(seconds / longest_s * (1 - 1e-12)))) {
        dt = seconds / static_cast<double>(count);
    }
    std::int64_t count;
    double dt;
};

/// Best of five tries, of all threads of all ranks.
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

/// What of the whole fault is nearest to each station.
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

    /// Of a rupture, on rank 0.
    [[nodiscard]] const std::vector<FaultPoint>& fault_points() const { return fault_points_; }

private:
    Run converge() {
        const auto cells = static_cast<int>(settings_.cells);
        const ClosedForm coarse = make_closed_form(settings_.name, cells / 2);
        const ClosedForm fine = make_closed_form(settings_.name, cells);
        const double end_s = settings_.end_s > 0 ? settings_.end_s : fine.problem.end_s;
        const auto solve = [&](const ClosedForm& form, const Settings& settings) {
            Solver<Real> solver(make_box_part(form.box, ranks_.rank, ranks_.count), form.problem, order_, ranks_);
            Outputs<Real> outputs(settings, solver, end_s, ranks_);
            Run run = describe(solver, end_s);
            const Steps steps(end_s, settings_.cfl * solver.longest_step_s());
            advance(solver, steps, run);
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
        Solver<Real> solver(std::move(mesh), problem, order_, ranks_);
        const double end_s = settings_.end_s > 0 ? settings_.end_s : problem.end_s;
        const Steps intervals(end_s, settings_.every_s);
        const Steps steps(intervals.dt, settings_.cfl * solver.longest_step_s());
        Outputs<Real> outputs(settings_, solver, intervals.dt, ranks_);
        require(outputs.done() < intervals.count,
                text("'%s' stands at %g s, and the run is to end at %g s: give a later --end",
                     settings_.restart.c_str(), solver.time_s(), end_s));
        Run run = describe(solver, end_s);
        run.restarted_s = solver.time_s();
        run.energies = outputs.energies();
        for (std::int64_t i = outputs.done(); i < intervals.count; ++i) {
            advance(solver, steps, run);
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

    MeshPart built() const {
        const Box box = make_rupture_box(settings_.name, settings_.spacing_m, settings_.growth, settings_.reach_m);
        return make_box_part(box, ranks_.rank, ranks_.count);
    }

    /// A part that cannot be read is refused by all ranks.
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
                .threads = thread_limit(),
                .cells = solver.all_cells(),
                .fault_faces = solver.all_fault_faces(),
                .steps = 0,
                .dt = 0,
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

    void advance(Solver<Real>& solver, const Steps& steps, Run& run) const {
        MPI_Barrier(ranks_.communicator);
        Stopwatch watch;
        for (std::int64_t i = 0; i < steps.count; ++i) solver.step(steps.dt);
        run.seconds += slowest_s(watch.lap_s(), ranks_);
        run.steps += steps.count;
        run.dt = steps.dt;
    }

    void finish(const Solver<Real>& solver, Run& run) const {
        run.peak_flops_per_s = peak_flops_per_s<Real>(ranks_);
        std::int64_t sent = solver.sent_bytes() * run.steps;
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

ExitCode solve(std::span<const char* const> arguments, const Ranks& ranks) {
    const Settings settings = read_settings(arguments);
    return run_kernel(settings, ranks, help_text, [&](auto real) {
        std::optional<JsonLines> lines = open_samples(settings.json, ranks);
        const std::string remark = shared_cpus_remark(ranks);
        Program<decltype(real)> program(settings, ranks);
        const Run run = program.run();
        if (ranks.rank == 0) {
            std::fputs((remark + summary(run)).c_str(), stdout);
            if (lines) write_sample(run, *lines);
            if (!settings.energies_csv.empty() && settings.rupture()) write_energies(run);
            if (!settings.fault_csv.empty() && settings.rupture())
                write_fault(settings.fault_csv, program.fault_points());
        }
        return run.failure().empty() ? success : unverified;
    });
}

}  // namespace

int main(int argc, char** argv) { return run_program("ww-rupture", argc, argv, solve); }
