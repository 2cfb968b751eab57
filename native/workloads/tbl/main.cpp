// ww-tbl: the incompressible Navier-Stokes equations between two walls, in MPI and OpenMP. Each run is checked against
// the conservation laws of the discrete equations and against exact solutions.
#include "base/error.hpp"
#include "workloads/common/greatest.hpp"
#include "workloads/common/node_memory.hpp"
#include "workloads/common/npy.hpp"
#include "workloads/common/results.hpp"
#include "workloads/common/text.hpp"
#include "workloads/tbl/ends.hpp"
#include "workloads/tbl/layer.hpp"
#include "workloads/tbl/orr_sommerfeld.hpp"
#include "workloads/tbl/pressure.hpp"
#include "workloads/tbl/recycling.hpp"
#include "workloads/tbl/report.hpp"
#include "workloads/tbl/start.hpp"
#include "workloads/tbl/statistics.hpp"
#include "workloads/tbl/truth.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace {

using namespace waywiser;
using namespace waywiser::tbl;

/// \throws InvalidInput  on all ranks, if FFTW is missing on any rank
void require_fftw(const Ranks& ranks) {
    int there = has_fftw() ? 1 : 0;
    MPI_Allreduce(MPI_IN_PLACE, &there, 1, MPI_INT, MPI_MIN, ranks.communicator);
    require(there == 1, missing_fftw);
}

Domain domain_of(const Settings& s, const Cartesian& cartesian, MPI_Comm communicator) {
    const Case& flow = *s.flow;
    return {.cartesian = cartesian,
            .lengths = s.lengths,
            .wall_grid = WallGrid(s.points[1], s.lengths[1], s.stretching, flow.sticks_at_top && !flow.open),
            .bottom = {.slip = !flow.sticks_at_bottom, .velocity = flow.wall_velocity},
            .top = {.slip = !flow.sticks_at_top, .velocity = flow.top_velocity},
            .viscosity = s.viscosity(),
            .dt = s.dt,
            .communicator = communicator,
            .solver = s.solver,
            .open = flow.open,
            .scheme = s.scheme};
}

Drive drive_of(const Settings& s) {
    if (s.drive == "bulk") return {.force = 0, .bulk_velocity = 1};
    return {.force = s.drive == "gradient" ? gradient_force(s) : 0, .bulk_velocity = {}};
}

class Program {
public:
    Program(const Settings& settings, const Cartesian& cartesian, const Ranks& ranks)
        : settings_(settings),
          ranks_(ranks),
          domain_(domain_of(settings, cartesian, ranks.communicator)),
          teams_(ranks.communicator, cartesian.ranks()[1]),
          flow_(domain_),
          momentum_(domain_, teams_, drive_of(settings)),
          pressure_(domain_, teams_),
          statistics_(domain_) {
        start(settings, flow_);
        if (settings.recycled()) recycling_.emplace(domain_, teams_, flow_);
        if (domain_.open) ends_.emplace(flow_);
        flow_.complete_velocity();
        pressure_.solve(flow_, 1);
        flow_.complete_correction();
        project(flow_, 1);
        flow_.pressure.fill([](Index, Index, Index) { return 0.0; });
        flow_.complete_velocity();
    }

    ExitCode run(Results& results, std::optional<JsonLines>& averages) {
        std::optional<MomentumBudget> momentum;
        if (!domain_.open) momentum.emplace(flow_, momentum_);
        const double energy_at_start = energy_budget(flow_, 0).kinetic_energy;
        const Index half = settings_.steps / 2;
        std::vector<double> seconds;
        seconds.reserve(static_cast<std::size_t>(settings_.steps));
        double divergence = 0;
        double energy_at_half = 0;
        for (Index step = 0; step < settings_.steps; ++step) {
            if (is_wave() && step == half) energy_at_half = energy_budget(flow_, 0).perturbation_energy;
            seconds.push_back(0);
            for (std::size_t pass = 0; pass < passes(domain_.scheme).size(); ++pass) {
                seconds.back() += advance(pass, divergence);
                if (momentum) momentum->add_pass(flow_, momentum_.force(), interval(pass));
            }
            if (settings_.averages() && step + 1 >= settings_.first_averaged()) average(averages);
        }
        MPI_Allreduce(MPI_IN_PLACE, seconds.data(), static_cast<int>(seconds.size()), MPI_DOUBLE, MPI_MAX,
                      ranks_.communicator);
        MPI_Allreduce(MPI_IN_PLACE, &divergence, 1, MPI_DOUBLE, MPI_MAX, ranks_.communicator);
        Measured measured = measure(Tries(std::move(seconds)));
        measured.divergence = divergence;
        measured.kinetic_energy_at_start = energy_at_start;
        measured.momentum_residual = momentum ? momentum->residual(flow_, momentum_) : momentum_imbalance(flow_);
        if (recycling_) measured.entering = recycling_->entering();
        if (domain_.open) {
            measured.layer = layer_of(flow_);
            if (is_laminar()) measured.laminar = laminar_error(settings_, flow_);
        }
        if (is_wave()) {
            const double time = static_cast<double>(settings_.steps - half) * settings_.dt;
            const OrrSommerfeld wave(2 * std::numbers::pi / settings_.lengths[0], settings_.reynolds);
            const double grown = std::log(measured.energy.perturbation_energy / energy_at_half);
            measured.growth = {.rate = grown / (2 * time), .expected = wave.growth_rate()};
        }
        if (settings_.averages()) {
            measured.averages = averaged();
            if (averages) averages->write(statistics(*measured.averages));
        }
        results.add(sample(measured));
        results.say(remarks(measured));
        return results.end();
    }

    /// Collective.
    void write(NpyFields<double>& file) const {
        const Index3 n = domain_.owned();
        std::vector<double> values;
        for (const Field* field : {&flow_.velocity[0], &flow_.velocity[1], &flow_.velocity[2], &flow_.pressure}) {
            values.clear();
            for (Index k = 0; k < n[2]; ++k) {
                for (Index j = 0; j < n[1]; ++j) values.insert(values.end(), field->row(j, k), field->row(j, k) + n[0]);
            }
            file.write(values);
        }
    }

private:
    [[nodiscard]] bool is_laminar() const { return settings_.case_name == "blasius" && settings_.perturbation == 0; }
    [[nodiscard]] bool is_wave() const { return settings_.case_name == "orr-sommerfeld"; }

    /// Measures the final flow. Collective.
    [[nodiscard]] Measured measure(Tries steps) const {
        Measured measured{.settings = &settings_,
                          .ranks = {domain_.cartesian.ranks()[1], domain_.cartesian.ranks()[2]},
                          .steps = std::move(steps),
                          .sections = slowest(sections_, section_table, ranks_),
                          .energy = energy_budget(flow_, momentum_.force()),
                          .bulk_velocity = momentum_.bulk_velocity(flow_),
                          .shear_bottom = wall_shear(flow_, Side::low),
                          .shear_top = wall_shear(flow_, Side::high)};
        if (has_truth(settings_)) measured.error = greatest_error(settings_, flow_);
        return measured;
    }

    void average(std::optional<JsonLines>& file) {
        constexpr Index steps_of_a_line = 1000;
        statistics_.add(flow_);
        if (!settings_.statistics.empty() && statistics_.steps() % steps_of_a_line == 0) write_averages(file);
    }

    /// Collective.
    [[nodiscard]] Averages averaged() const {
        Profiles profiles = statistics_.profiles();
        const double velocity = profiles.friction_velocity(domain_);
        const double residual = profiles.stress_residual(domain_);
        return {.profiles = std::move(profiles), .friction_velocity = velocity, .stress_residual = residual};
    }

    /// Collective. \param file  open on rank 0, if averages are requested
    void write_averages(std::optional<JsonLines>& file) const {
        const Averages now = averaged();
        if (file) file->write(statistics(now));
    }

    [[nodiscard]] double interval(std::size_t pass) const { return passes(domain_.scheme)[pass].interval * domain_.dt; }

    /// Advances by one pass of a step. \return its duration on this rank [s]
    double advance(std::size_t pass, double& divergence) {
        watch_.lap_s();
        if (recycling_) recycling_->renew(flow_, interval(pass));
        momentum_.advance(flow_, pass);
        if (recycling_) recycling_->open_top(flow_);
        if (ends_) ends_->advance(flow_, interval(pass));
        const double velocity = watch_.lap_s();
        flow_.complete_for_divergence();
        pressure_.solve(flow_, interval(pass));
        flow_.complete_correction();
        const double pressure = watch_.lap_s();
        project(flow_, interval(pass));
        const double changed = watch_.lap_s();
        flow_.complete_velocity();
        divergence = greater(divergence, greatest_divergence(flow_));
        const double others = watch_.lap_s();
        sections_.velocity_solver += velocity;
        sections_.pressure_solver += pressure;
        sections_.update += changed;
        sections_.others += others;
        return velocity + pressure + changed + others;
    }

    const Settings& settings_;
    const Ranks& ranks_;
    Domain domain_;
    Teams teams_;
    Flow flow_;
    std::optional<Recycling> recycling_;
    std::optional<Ends> ends_;
    Momentum momentum_;
    PressureSolver pressure_;
    Statistics statistics_;
    Stopwatch watch_;
    Sections sections_;
};

ExitCode tbl_program(const Settings& settings, const Ranks& ranks) {
    const std::array<Index, 2> cut = layout(settings.shape(), ranks.count, {settings.p1, settings.p2});
    require_memory(needed_bytes(settings.shape(), cut), product_text(settings.points) + " cells", "fewer cells", ranks);
    require_fftw(ranks);
    const Cartesian cartesian(settings.points, {1, cut[0], cut[1]}, ranks.rank);
    Results results("tbl", columns, settings.json, ranks);
    std::optional<JsonLines> averages = open_samples(settings.statistics, ranks);
    std::optional<NpyFields<double>> field;
    if (!settings.field.empty()) field.emplace(settings.field, cartesian, 4, ranks.communicator);
    results.begin(description(settings, cut));
    Program program(settings, cartesian, ranks);
    const ExitCode code = program.run(results, averages);
    if (field) program.write(*field);
    return code;
}

}  // namespace

int main(int argc, char** argv) { return run_workload<Settings>(argc, argv, tbl_program, columns); }
