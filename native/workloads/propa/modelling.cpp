#include "workloads/propa/modelling.hpp"

#include "base/error.hpp"
#include "workloads/common/binding.hpp"
#include "workloads/common/results.hpp"
#include "workloads/common/stopwatch.hpp"
#include "workloads/common/threads.hpp"
#include "workloads/propa/shot.hpp"
#include "workloads/propa/shot_report.hpp"

#include <algorithm>
#include <fstream>

namespace waywiser::propa {
namespace {

/// Waves shorter than two spacings are not waves of the grid.
void require_resolved(const Settings& settings, const Survey& survey, const Medium& medium) {
    const double shortest_m = medium.slowest_m_s / (2.5 * settings.modelling.frequency_Hz);
    const double widest_m = *std::ranges::max_element(survey.spacings_m);
    require(widest_m <= shortest_m / 2,
            "waves of 2.5 times the frequency are as short as " + std::to_string(shortest_m) +
                " m, and the spacing must be at most half of that: give a lower --frequency or a smaller --spacing");
}

template <class Real>
class Program {
public:
    Program(const ShotRun& run, const Medium& medium, const Cartesian& cartesian, const Ranks& ranks)
        : run_(run),
          medium_(medium),
          ranks_(ranks),
          cartesian_(cartesian),
          shot_(run.settings, run.survey, medium, cartesian, ranks),
          layer_points_(shot_.layers().points()) {
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
        for (const Way<Real>& way : choose()) {
            std::vector<double> seconds;
            std::vector<double> layers_s;
            for (Index i = 0; i < settings().tries; ++i) {
                seconds.push_back(attempt(way));
                layers_s.push_back(slowest_s(shot_.layers_s(), ranks_));
            }
            const std::vector<double> traces = shot_.traces();
            const MeasuredShot measured{&run_,
                                        way.variant->name,
                                        way.block,
                                        Tries(seconds),
                                        layers_s,
                                        layer_points_,
                                        check_arrivals(settings(), run_.survey, medium_, traces)};
            if (traces_.is_open()) write_traces(traces);
            unchecked = measured.arrivals.unchecked;
            results.add(measured);
        }
        return results.end(unchecked);
    }

private:
    [[nodiscard]] const Settings& settings() const { return run_.settings; }

    std::vector<Way<Real>> choose() {
        std::string what = "order-" + std::to_string(settings().order) + ":" + settings().precision;
        for (const Index n : settings().points) what.append(":").append(std::to_string(n));
        for (const Index p : cartesian_.ranks()) what.append(":").append(std::to_string(p));
        what.append(":").append(std::to_string(thread_limit()));
        return stencil::choose_ways(variants<Real>(shot_.waves()),
                                    stencil::blocks_for<Real>(settings(), stencil::Operator::leapfrog), settings(),
                                    tuning_key("modelling", what), ranks_.communicator, [&](const Way<Real>& way) {
                                        constexpr Index steps = 4;
                                        shot_.start();
                                        timed_s(way, steps);
                                        return timed_s(way, steps);
                                    });
    }

    double timed_s(const Way<Real>& way, Index steps) {
        MPI_Barrier(ranks_.communicator);
        Stopwatch watch;
        shot_.advance(way, steps);
        return slowest_s(watch.lap_s(), ranks_);
    }

    /// Snapshots are those of the first try, and not in its time.
    double attempt(const Way<Real>& way) {
        const Index every = snapshots_ ? settings().check_every : settings().steps;
        shot_.start();
        double seconds = 0;
        for (Index done = 0; done < settings().steps;) {
            const Index steps = std::min(every, settings().steps - done);
            seconds += timed_s(way, steps);
            done += steps;
            if (snapshots_ && done % every == 0) shot_.write_snapshot(*snapshots_);
        }
        snapshots_.reset();
        return seconds;
    }

    /// Writes the traces of the last variant, in the end.
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
    const Medium& medium_;
    const Ranks& ranks_;
    const Cartesian& cartesian_;
    Shot<Real> shot_;
    Index layer_points_;  ///< of all ranks
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
ExitCode model(const Settings& asked, const Ranks& ranks) {
    Settings settings = with_points_of_model(asked, ranks);
    const Cartesian cartesian(settings.points, cut(settings.points, ranks.count, settings.ranks), ranks.rank);
    const Medium medium = read_medium(settings, cartesian, ranks);
    const Survey survey = read_survey(settings, ranks);
    require_resolved(settings, survey, medium);
    set_time(settings, longest_stable_dt(survey, medium, static_cast<int>(settings.order)));
    if (settings.check_every == 0) settings.check_every = settings.steps;
    ShotRun run;
    run.settings = settings;
    run.survey = survey;
    run.slowest_m_s = medium.slowest_m_s;
    run.fastest_m_s = medium.fastest_m_s;
    run.ranks = cartesian.ranks();
    run.snapshots_s = snapshot_times_s(settings);
    Program<Real> program(run, medium, cartesian, ranks);
    Results results("propa", settings.json, ranks);
    run.limits = measure_limits<Real>(cartesian.owned().points(), ranks.communicator);
    results.say(heading(run) + shared_cpus_remark(ranks));
    return program.run(results);
}

template ExitCode model<float>(const Settings& settings, const Ranks& ranks);
template ExitCode model<double>(const Settings& settings, const Ranks& ranks);

}  // namespace waywiser::propa
