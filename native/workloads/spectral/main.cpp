// ww-spectral: transforms between spherical harmonics and points on the sphere, and the barotropic vorticity or
// shallow-water equations solved by these transforms, in MPI and OpenMP. Each run is checked against exact solutions.
#include "base/error.hpp"
#include "workloads/common/named.hpp"
#include "workloads/common/node_memory.hpp"
#include "workloads/common/results.hpp"
#include "workloads/common/text.hpp"
#include "workloads/common/threads.hpp"
#include "workloads/spectral/blas.hpp"
#include "workloads/spectral/report.hpp"
#include "workloads/spectral/round_trip.hpp"

namespace {

using namespace waywiser;
using namespace waywiser::spectral;

/// True if all ranks have a BLAS library.
/// \throws InvalidInput  on all ranks, if FFTW or a requested BLAS library is missing on any rank
bool require_libraries(const Blas& blas, const Settings& s, const Ranks& ranks) {
    std::array<int, 2> there{has_fftw() ? 1 : 0, blas.loaded() ? 1 : 0};
    MPI_Allreduce(MPI_IN_PLACE, there.data(), 2, MPI_INT, MPI_MIN, ranks.communicator);
    require(there[0] == 1, missing_fftw);
    require(there[1] == 1 || s.blas.empty(), missing_blas(s.blas));
    return there[1] == 1;
}

double total(double value, const Ranks& ranks) {
    MPI_Allreduce(MPI_IN_PLACE, &value, 1, MPI_DOUBLE, MPI_SUM, ranks.communicator);
    return value;
}

std::uint64_t total(std::uint64_t value, const Ranks& ranks) {
    MPI_Allreduce(MPI_IN_PLACE, &value, 1, MPI_UINT64_T, MPI_SUM, ranks.communicator);
    return value;
}

std::vector<double> total(std::vector<double> values, const Ranks& ranks) {
    MPI_Allreduce(MPI_IN_PLACE, values.data(), static_cast<int>(values.size()), MPI_DOUBLE, MPI_SUM,
                  ranks.communicator);
    return values;
}

/// Rate [flop/s] of dgemm with square matrices that fit into caches, on all threads of all ranks.
double measure_dgemm(const Blas& blas, const Ranks& ranks) {
    constexpr Index n = 384;
    constexpr Index tries = 5;
    const int threads = thread_limit();
    const Index each = n * n;
    std::vector<double> matrices(static_cast<std::size_t>(3 * each * threads), 1);
    const auto multiply = [&] {
#pragma omp parallel
        {
            double* const a = matrices.data() + 3 * each * thread_number();
            blas.multiply(n, a, a + each, a + 2 * each);
        }
    };
    const Tries times = time_tries(tries, ranks.communicator, multiply);
    return total(2.0 * n * n * n * threads, ranks) / times.median_s();
}

WaveErrors greatest(const WaveErrors& e, const Ranks& ranks) {
    return {.wave = waywiser::greatest(e.wave, ranks),
            .amplitude = waywiser::greatest(e.amplitude, ranks),
            .leak = waywiser::greatest(e.leak, ranks),
            .phase = total(e.phase, ranks)};
}

/// Times of the slowest rank.
struct Timed {
    Tries all, legendre;
};

template <class Body>
Timed time_each(const Machinery& machinery, Index count, const Ranks& ranks, Body body) {
    *machinery.sections = {};
    std::vector<double> seconds;
    std::vector<double> legendre;
    for (Index k = 0; k < count; ++k) {
        const double before = machinery.sections->legendre;
        MPI_Barrier(ranks.communicator);
        Stopwatch watch;
        body();
        seconds.push_back(watch.lap_s());
        legendre.push_back(machinery.sections->legendre - before);
    }
    for (std::vector<double>* const each : {&seconds, &legendre}) {
        MPI_Allreduce(MPI_IN_PLACE, each->data(), static_cast<int>(count), MPI_DOUBLE, MPI_MAX, ranks.communicator);
    }
    return {Tries(std::move(seconds)), Tries(std::move(legendre))};
}

struct Measuring {
    const Run& run;
    const Machinery& machinery;
    const Ranks& ranks;
    Results& results;
};

/// \param step    step of a phase's fields, which is timed `count` times
/// \param truths  function that adds the verification of the fields
template <class Fields, class Truths>
void measure(const Measuring& in, Phase phase, Index count, Fields& fields, void (Fields::*step)(), Truths truths) {
    Timed timed = time_each(in.machinery, count, in.ranks, [&] { (fields.*step)(); });
    Measured measured{.run = &in.run,
                      .exchange = in.machinery.method->name,
                      .phase = phase,
                      .tries = std::move(timed.all),
                      .legendre_s = timed.legendre.median_s(),
                      .sections = slowest(*in.machinery.sections, section_table, in.ranks),
                      .legendre_flops = total(fields.legendre_flops(), in.ranks),
                      .checksum = total(fields.checksum(), in.ranks)};
    truths(measured);
    in.results.add(sample(measured));
    in.results.say(remarks(measured));
}

void measure_round_trip(const Measuring& in) {
    const Settings& s = *in.run.settings;
    RoundTrip trip(in.machinery, static_cast<std::uint64_t>(s.seed));
    trip.run();
    measure(in, Phase::round_trip, s.tries, trip, &RoundTrip::run, [&](Measured& m) {
        m.error = greatest(trip.error(), in.ranks);
        m.probes = total(trip.probes(), in.ranks);
    });
}

void measure_vorticity(const Measuring& in) {
    const Settings& s = *in.run.settings;
    Vorticity vorticity(in.machinery, s);
    measure(in, Phase::vorticity, s.steps, vorticity, &Vorticity::step,
            [&](Measured& m) { m.wave = greatest(vorticity.errors(static_cast<double>(s.steps) * s.dt), in.ranks); });
}

void measure_triad(const Measuring& in) {
    const auto summed = [&](const Invariants& parts) {
        return Invariants{total(parts.energy, in.ranks), total(parts.enstrophy, in.ranks)};
    };
    Vorticity vorticity(in.machinery, *in.run.settings);
    const Invariants before = summed(vorticity.invariants());
    measure(in, Phase::triad, in.run.settings->steps, vorticity, &Vorticity::step, [&](Measured& m) {
        m.drift = drift(before, summed(vorticity.invariants()));
        m.probes = total(vorticity.probes(), in.ranks);
    });
}

void measure_shallow_water(const Measuring& in) {
    constexpr std::pair<Phase, Start> all[] = {
        {Phase::steady, Start::steady}, {Phase::gravity_wave, Start::gravity_wave}, {Phase::unsteady, Start::unsteady}};
    for (const auto& [phase, start] : all) {
        ShallowWater water(in.machinery, *in.run.settings, start);
        measure(in, phase, in.run.settings->steps, water, &ShallowWater::step, [&](Measured& m) {
            const WaterErrors errors = water.errors();
            m.water = {greatest(errors.state, in.ranks), greatest(errors.mass, in.ranks)};
            m.probes = total(water.probes(), in.ranks);
        });
    }
}

/// Memory of a rank [B]: Legendre functions, and coefficients, rows, points and messages of all fields of all levels.
double needed_bytes(const Layout& layout, bool is_shallow_water, Index rank) {
    const Index w = rank / layout.ranks().v;
    const Grid& grid = layout.grid();
    double functions = 0;
    for (const Index wave : layout.waves(w)) {
        functions += static_cast<double>((grid.rings() - grid.first_ring(wave)) * (grid.truncation() - wave + 2));
    }
    const double fields = is_shallow_water ? 18 : 9;
    const auto ranks = static_cast<double>(layout.ranks().w * layout.ranks().v);
    const auto values = static_cast<double>(4 * grid.points() + (grid.truncation() + 2) * (grid.truncation() + 2));
    return sizeof(double) * (functions + fields * static_cast<double>(layout.levels()) * values / ranks);
}

ExitCode write_matrix(const Settings& s, const Grid& grid, const Ranks& ranks) {
    const Layout layout(grid, s.levels, rank_grid(grid, s.levels, s.matrix_ranks, s.ranks));
    const Traffic& traffic = s.is_shallow_water() ? shallow_water_traffic : vorticity_traffic;
    on_rank_0(ranks, [&] { write_pattern(s.matrix, layout, traffic); });
    return success;
}

ExitCode spectral_program(const Settings& s, const Ranks& ranks) {
    const std::vector<const Method*> chosen_methods = all_named<Method>(methods, "exchange", s.exchange);
    const Grid grid(s.truncation, s.rings, s.is_octahedral());
    if (!s.matrix.empty()) return write_matrix(s, grid, ranks);
    const Layout layout(grid, s.levels, rank_grid(grid, s.levels, ranks.count, s.ranks));
    require_memory(needed_bytes(layout, s.is_shallow_water(), ranks.rank), text("T%lld and its levels", s.truncation),
                   "fewer levels", ranks);
    const Blas blas(s.blas);
    const bool has_blas = require_libraries(blas, s, ranks);
    Results results("spectral", report_columns, s.json, ranks);
    const Gauss nodes = gauss(s.rings);
    const Teams teams(layout.ranks(), ranks);
    const Legendre legendre(grid, nodes, layout.waves(teams.w()));
    Sections sections;
    Machinery machinery{&layout, &nodes, &legendre, &teams, chosen_methods.front(), &sections};
    const Run run{.settings = &s,
                  .layout = &layout,
                  .blas = has_blas ? blas.name() : "",
                  .limits = measure_limits<double>(grid.points() * s.levels / ranks.count, ranks.communicator),
                  .dgemm_flops_per_s = has_blas ? measure_dgemm(blas, ranks) : 0,
                  .orthonormality = greatest(orthonormality(machinery), ranks)};
    results.begin(description(run));
    const Measuring measuring{run, machinery, ranks, results};
    for (const Method* method : chosen_methods) {
        machinery.method = method;
        measure_round_trip(measuring);
        (s.is_shallow_water() ? measure_shallow_water : s.is_triad() ? measure_triad : measure_vorticity)(measuring);
    }
    return results.end();
}

}  // namespace

int main(int argc, char** argv) { return run_workload<Settings>(argc, argv, spectral_program, report_columns); }
