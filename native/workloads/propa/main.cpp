// ww-propa: propagates acoustic waves by finite differences, in MPI and OpenMP, and checks them against the exact ones.
#include "workloads/common/binding.hpp"
#include "workloads/common/results.hpp"
#include "workloads/common/stopwatch.hpp"
#include "workloads/common/threads.hpp"
#include "workloads/propa/modelling.hpp"
#include "workloads/propa/report.hpp"

#include <algorithm>

namespace {

using namespace waywiser;
using namespace waywiser::propa;

/// Steps until the next check: of steps 0, n, 2n, ... where `check_every` is n, and of the last one.
Index steps_to_check(const Settings& settings, Index done) {
    const Index left = settings.steps - done;
    if (settings.check_every == 0) return left;
    const Index next = (done + settings.check_every - 1) / settings.check_every * settings.check_every + 1;
    return std::min(next - done, left);
}

template <class Real>
class Program {
public:
    Program(const Settings& settings, const Cartesian& cartesian, const Ranks& ranks)
        : settings_(settings), cartesian_(cartesian), ranks_(ranks), waves_(settings, cartesian, ranks.communicator) {}

    ExitCode run(Results& results) {
        Index exchanged = waves_.exchange.received_points();
        MPI_Allreduce(MPI_IN_PLACE, &exchanged, 1, MPI_INT64_T, MPI_SUM, ranks_.communicator);
        const Run run{.settings = settings_,
                      .ranks = cartesian_.ranks(),
                      .exchanged_points = exchanged,
                      .copy_s = copy_s(),
                      .limits = measure_limits<Real>(cartesian_.owned().points(), ranks_.communicator)};
        results.say(heading(run) + shared_cpus_remark(ranks_));
        const std::vector<Way<Real>> chosen = choose();
        std::vector<std::vector<Try>> tries(chosen.size());
        for (Index i = 0; i < settings_.tries; ++i) {  // they interleave what they compare
            for (std::size_t j = 0; j < chosen.size(); ++j) tries[j].push_back(attempt(chosen[j]));
        }
        for (std::size_t j = 0; j < chosen.size(); ++j) results.add(measured(run, chosen[j], tries[j]));
        return results.end();
    }

private:
    struct Try {
        double seconds = 0;
        double exchange_s = 0;
        Verdict verdict;
    };

    static Measured measured(const Run& run, const Way<Real>& way, const std::vector<Try>& tries) {
        std::vector<double> seconds;
        std::vector<double> exchange_s;
        for (const Try& one : tries) {
            seconds.push_back(one.seconds);
            exchange_s.push_back(one.exchange_s);
        }
        const auto wrong = std::ranges::find_if(tries, [](const Try& one) { return !one.verdict.failure().empty(); });
        return {&run,           way.variant->name, way.block,
                Tries(seconds), exchange_s,        wrong == tries.end() ? tries.back().verdict : wrong->verdict};
    }

    std::vector<Way<Real>> choose() {
        const Index3& n = settings_.points;
        std::string what = "order-" + std::to_string(settings_.order) + ":" + settings_.precision;
        for (const Index i : {n[0], n[1], n[2], cartesian_.ranks()[0], cartesian_.ranks()[1], cartesian_.ranks()[2]}) {
            what.append(":").append(std::to_string(i));
        }
        what.append(":").append(std::to_string(thread_limit()));
        return stencil::choose_ways(
            variants<Real>(waves_), stencil::blocks_for<Real>(settings_, stencil::Operator::leapfrog), settings_,
            tuning_key("propa", what), ranks_.communicator, [&](const Way<Real>& way) { return trial_s(way); });
    }

    double timed_s(const Way<Real>& way, Index steps) {
        MPI_Barrier(ranks_.communicator);
        Stopwatch watch;
        way.variant->advance(waves_, way.block, steps);
        return slowest_s(watch.lap_s(), ranks_);
    }

    /// Time of a few steps, taken the second time: the first time brings caches and pages into their state.
    double trial_s(const Way<Real>& way) {
        const Index steps = std::max<Index>(waves_.steps_at_once, 4);
        waves_.start();
        timed_s(way, steps);
        return timed_s(way, steps);
    }

    Try attempt(const Way<Real>& way) {
        Try result;
        waves_.start();
        waves_.exchange_s = 0;
        for (Index done = 0; done < settings_.steps;) {
            const Index steps = steps_to_check(settings_, done);
            result.seconds += timed_s(way, steps);
            done += steps;
            const bool counted = settings_.check_every == 0 || (done - 1) % settings_.check_every == 0;
            result.verdict.check(waves_, cartesian_, settings_.mirrored(), done - 1, counted, ranks_.communicator);
        }
        result.exchange_s = slowest_s(waves_.exchange_s, ranks_);
        return result;
    }

    /// The median of five passes of a leapfrog whose Laplacian is the point itself, each thread in its planes.
    double copy_s() {
        const auto kernel = stencil::find_kernel<Real>(stencil::Operator::leapfrog, stencil::Form::vector, 0);
        waves_.start();
        std::vector<double> seconds;
        for (int i = 0; i < 5; ++i) {
            MPI_Barrier(ranks_.communicator);
            Stopwatch watch;
#pragma omp parallel
            {
                stencil::Work<Real> work = stencil::make_work(stencil::Operator::leapfrog, 0, waves_.spacings,
                                                              waves_.previous, waves_.current, &waves_.factor);
                const Index planes = work.box.hi[2];
                work.box.lo[2] = planes * thread_number() / team_size();
                work.box.hi[2] = planes * (thread_number() + 1) / team_size();
                kernel(work);
            }
            seconds.push_back(slowest_s(watch.lap_s(), ranks_));
        }
        std::ranges::nth_element(seconds, seconds.begin() + 2);
        return seconds[2];
    }

    const Settings& settings_;
    const Cartesian& cartesian_;
    const Ranks& ranks_;
    Waves<Real> waves_;
};

template <class Real>
ExitCode run(const Settings& settings, const Ranks& ranks) {
    if (settings.models()) return model<Real>(settings, ranks);
    const Cartesian cartesian(settings.points, cut(settings.points, ranks.count, settings.ranks), ranks.rank);
    Results results("propa", settings.json, ranks);
    return Program<Real>(settings, cartesian, ranks).run(results);
}

ExitCode propagate(const Settings& settings, const Ranks& ranks) {
    return settings.single() ? run<float>(settings, ranks) : run<double>(settings, ranks);
}

}  // namespace

int main(int argc, char** argv) { return run_workload<Settings>(argc, argv, propagate); }
