#include "workloads/propa/modelling.hpp"

#include "base/error.hpp"
#include "workloads/common/binding.hpp"
#include "workloads/common/results.hpp"
#include "workloads/common/roofline.hpp"
#include "workloads/common/text.hpp"
#include "workloads/common/tries.hpp"
#include "workloads/propa/arrivals.hpp"
#include "workloads/propa/shot.hpp"

#include <algorithm>
#include <fstream>
#include <numeric>

namespace waywiser::propa {
namespace {

/// The grid does not represent waves shorter than two spacings.
void require_resolved(const Settings& settings, const Survey& survey, const Medium& medium) {
    const double shortest_m = medium.slowest_m_s / (2.5 * settings.modelling.frequency_Hz);
    const double widest_m = *std::ranges::max_element(survey.spacings_m);
    require(widest_m <= shortest_m / 2,
            "waves of 2.5 times the frequency are as short as " + std::to_string(shortest_m) +
                " m, and the spacing must be at most half of that: give a lower --frequency or a smaller --spacing");
}

std::string position_text(const std::array<double, 3>& at) { return text("%g, %g, %g", at[0], at[1], at[2]); }

constexpr auto leapfrog = stencil::Operator::leapfrog;

constexpr Column columns[] = {
    {"variant", "%-10s", "variant", "form of the kernels"},
    {"block", "%-13s", "block", "points of a row, rows and planes of a cache block"},
    median_s,
    {"in layers", "%9s", "in_layers", "share of the absorbing layers in the time"},
    {"GPoint/s", "%10.3f", "points/s", "points of the whole grid and steps", 1e-9},
    {"GFLOP/s", "%10.2f", "flops/s", "operations of the formula", 1e-9},
    {"GB/s", "%9.2f", "bytes/s", "bytes to and from memory, each once a step", 1e-9},
    of_roofline,
    {"error", "%13.5e", "error", "error of the receiver that is farthest from theory"},
    {"by theory", "%13.5e", "predicted_error", "its error without rounding"},
};

/// Data that all results of a shot share; the same on all ranks.
struct ShotRun {
    Settings settings;
    Survey survey;
    Medium medium;
    Index3 ranks{};  ///< ranks on each axis
    MachineLimits limits;
    std::vector<double> snapshots_s;  ///< times of the snapshots
};

std::string description(const ShotRun& run) {
    const Settings& s = run.settings;
    const auto& [slowest, fastest] = std::pair(run.medium.slowest_m_s, run.medium.fastest_m_s);
    const std::string medium = slowest == fastest ? text("%g m/s", fastest) : text("%g to %g m/s", slowest, fastest);
    const std::string boundary =
        s.boundary == "absorbing" ? text("absorbing layers of %lld points", s.modelling.layer) : s.boundary;
    return grid_text(s, run.ranks) + text(", %s\n", stencil::registers()) + summary(run.limits) +
           text("%lld steps of %.6g s, points every %s m, %s, boundary: %s%s\n", s.steps, s.dt,
                position_text(run.survey.spacings_m), medium, boundary,
                s.modelling.free_surface ? ", free surface at x1 = 0" : "") +
           text("source of %g Hz at %s m, %lld receiver(s)\n", s.modelling.frequency_Hz,
                position_text(run.survey.position_m(run.survey.source)),
                static_cast<Index>(run.survey.receivers.size()));
}

/// Data for the report's plots; positions are those of grid points.
JsonObject modelling(const ShotRun& run) {
    const Modelling& m = run.settings.modelling;
    const auto source = run.survey.position_m(run.survey.source);
    std::vector<double> receivers;
    for (const Index3& at : run.survey.receivers) {
        const auto position = run.survey.position_m(at);
        receivers.insert(receivers.end(), position.begin(), position.end());
    }
    return {{"spacings_m", std::span<const double>(run.survey.spacings_m)},
            {"source_m", std::span<const double>(source)},
            {"receivers_m", receivers},
            {"dt_s", run.settings.dt},
            {"slowest_m_s", run.medium.slowest_m_s},
            {"fastest_m_s", run.medium.fastest_m_s},
            {"traces", m.traces},
            {"snapshots", m.snapshots},
            {"snapshots_s", run.snapshots_s}};
}

template <class Real>
class Program {
public:
    Program(const ShotRun& run, const Cartesian& cartesian, const Ranks& ranks)
        : run_(run),
          ranks_(ranks),
          shot_(run.settings, run.survey, run.medium, cartesian, ranks),
          possible_(supported(variants<Real>(), shot_.waves())),
          layer_points_(shot_.layers().points()) {
        require_variant<Variant<Real>>(possible_, run.settings.variant);
        MPI_Allreduce(MPI_IN_PLACE, &layer_points_, 1, MPI_INT64_T, MPI_SUM, ranks.communicator);
        const Modelling& m = settings().modelling;
        if (!run.snapshots_s.empty()) {
            snapshots_.emplace(m.snapshots, cartesian, static_cast<Index>(run.snapshots_s.size()), ranks.communicator);
        }
        on_rank_0(ranks, [&] {
            if (m.traces.empty()) return;
            traces_.open(m.traces, std::ios::binary);
            require(bool(traces_), "cannot write '" + m.traces + "': give a file in a directory that you may write to");
        });
    }

    ExitCode run(Results& results) {
        std::string unchecked;
        for (const Candidate<Real>& candidate : choose()) {
            std::vector<double> seconds;
            std::vector<double> layers_s;
            for (Index i = 0; i < settings().tries; ++i) {
                seconds.push_back(attempt(candidate));
                layers_s.push_back(slowest_s(shot_.layers_s(), ranks_));
            }
            const std::vector<double> traces = shot_.traces();
            const Arrivals arrivals = check_arrivals(settings(), run_.survey, run_.medium, traces);
            if (traces_.is_open()) write_traces(traces);
            unchecked = arrivals.unchecked;
            results.add(sample(candidate, Tries(seconds), layers_s, arrivals));
        }
        return results.end(unchecked);
    }

private:
    [[nodiscard]] const Settings& settings() const { return run_.settings; }

    /// \param layers_s  time of each try in the absorbing layers, on the slowest rank
    Sample sample(const Candidate<Real>& candidate, const Tries& tries, const std::vector<double>& layers_s,
                  const Arrivals& a) const {
        const Settings& s = settings();
        const auto where_checked = [&](double value) { return a.checked > 0 ? std::optional(value) : std::nullopt; };
        const auto sum = [](const std::vector<double>& values) {
            return std::accumulate(values.begin(), values.end(), 0.0);
        };
        const bool is_judged = a.checked > 0 || !a.failure().empty();
        const Index points = s.all_points() * s.steps;
        const Index bytes = points * stencil::values_per_point(leapfrog) * s.value_bytes();
        Sample sample{.variant = std::string(candidate.variant->name),
                      .phase = "modelling",
                      .parameters = parameters_of(s, run_.ranks, s.order)
                                        .add("steps", s.steps)
                                        .add("dt", s.dt)
                                        .add("frequency_Hz", s.modelling.frequency_Hz)
                                        .add("boundary", s.boundary)
                                        .add("layer", s.modelling.layer)
                                        .add("free_surface", s.modelling.free_surface),
                      .bytes = bytes,
                      .flops = points * stencil::flops_per_point(leapfrog, static_cast<int>(s.order)),
                      .points = points,
                      .error = where_checked(a.error),
                      .failure = is_judged ? std::optional(a.failure()) : std::nullopt,
                      .details = {{"predicted_error", where_checked(a.predicted)},
                                  {"error_allowed", where_checked(a.allowed)},
                                  {"checked_receivers", a.checked},
                                  {"unchecked", a.unchecked},
                                  {"failure", a.failure()},
                                  {"registers", stencil::registers()},
                                  {"block", stencil::block_text(candidate.block)},
                                  {"points_per_s", static_cast<double>(points) / tries.median_s()},
                                  {"layers_s", layers_s},
                                  {"layer_points", layer_points_},
                                  {"modelling", modelling(run_)}}};
        sample.details.show("in_layers", text("%.0f%%", 100 * sum(layers_s) / sum(tries.seconds())));
        add_tries(sample, tries);
        add_roofline(sample, bytes, MemoryBound::leapfrog, run_.limits);
        return sample;
    }

    std::vector<Candidate<Real>> choose() {
        return stencil::choose_candidates(std::span<const Variant<Real>>(possible_),
                                          stencil::blocks_for<Real>(settings(), leapfrog), settings(),
                                          tuning_key("modelling", case_of(settings(), run_.ranks)), ranks_.communicator,
                                          [&](const Candidate<Real>& candidate) {
                                              constexpr Index steps = 4;
                                              shot_.start(candidate);
                                              timed_s(steps);
                                              return timed_s(steps);
                                          });
    }

    double timed_s(Index steps) {
        MPI_Barrier(ranks_.communicator);
        Stopwatch watch;
        shot_.advance(steps);
        return slowest_s(watch.lap_s(), ranks_);
    }

    /// Runs a try. Snapshots are written in the first try only, and their time does not count.
    double attempt(const Candidate<Real>& candidate) {
        const Index every = snapshots_ ? settings().check_every : settings().steps;
        shot_.start(candidate);
        double seconds = 0;
        for (Index done = 0; done < settings().steps;) {
            const Index steps = std::min(every, settings().steps - done);
            seconds += timed_s(steps);
            done += steps;
            if (snapshots_ && done % every == 0) shot_.write_snapshot(*snapshots_);
        }
        snapshots_.reset();
        return seconds;
    }

    /// Writes traces over those of the preceding variant, so that the last variant's traces remain.
    void write_traces(const std::vector<double>& values) {
        const std::array<Index, 2> shape{static_cast<Index>(run_.survey.receivers.size()), settings().steps};
        const std::string header = npy_header(shape, sizeof(double));
        traces_.seekp(0);
        traces_.write(header.data(), static_cast<std::streamsize>(header.size()));
        traces_.write(reinterpret_cast<const char*>(values.data()),
                      static_cast<std::streamsize>(values.size() * sizeof(double)));
        traces_.flush();
        if (!traces_) throw Error("cannot write to '" + settings().modelling.traces + "'");
    }

    const ShotRun& run_;
    const Ranks& ranks_;
    Shot<Real> shot_;
    std::vector<Variant<Real>> possible_;
    Index layer_points_;  ///< number of layer points of all ranks
    std::optional<NpyFields<Real>> snapshots_;
    std::ofstream traces_;
};

std::vector<double> snapshot_times_s(const Settings& settings) {
    std::vector<double> times;
    if (settings.modelling.snapshots.empty()) return times;
    for (Index step = settings.check_every; step <= settings.steps; step += settings.check_every) {
        times.push_back(static_cast<double>(step) * settings.dt);
    }
    return times;
}

}  // namespace

template <class Real>
ExitCode model(const Settings& requested, const Ranks& ranks) {
    Settings settings = with_points_of_model(requested, ranks);
    const Cartesian cartesian(settings.points, cut(settings.points, ranks.count, settings.ranks), ranks.rank);
    const Medium medium = read_medium(settings, cartesian, ranks);
    const Survey survey = read_survey(settings, ranks);
    require_resolved(settings, survey, medium);
    set_time(settings, longest_stable_dt(survey, medium, static_cast<int>(settings.order)));
    if (settings.check_every == 0) settings.check_every = settings.steps;
    ShotRun run;
    run.settings = settings;
    run.survey = survey;
    run.medium = medium;
    run.ranks = cartesian.ranks();
    run.snapshots_s = snapshot_times_s(settings);
    Program<Real> program(run, cartesian, ranks);
    Results results("propa", columns, settings.json, ranks);
    run.limits = measure_limits<Real>(cartesian.owned().points(), ranks.communicator);
    results.begin(description(run));
    results.say(shared_cpus_remark(ranks));
    return program.run(results);
}

template ExitCode model<float>(const Settings& settings, const Ranks& ranks);
template ExitCode model<double>(const Settings& settings, const Ranks& ranks);

}  // namespace waywiser::propa
