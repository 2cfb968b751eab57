// ww-propa: propagates acoustic waves by finite differences, in MPI and OpenMP, and checks them against exact
// solutions.
#include "workloads/common/binding.hpp"
#include "workloads/common/results.hpp"
#include "workloads/common/roofline.hpp"
#include "workloads/common/text.hpp"
#include "workloads/common/tries.hpp"
#include "workloads/propa/check.hpp"
#include "workloads/propa/modelling.hpp"

#include <algorithm>
#include <optional>

namespace {

using namespace waywiser;
using namespace waywiser::propa;

constexpr auto leapfrog = stencil::Operator::leapfrog;

/// Number of steps until the next check. Steps 0, n, 2n, ... are checked, where n is `check_every`, and the last step.
Index steps_to_check(const Settings& settings, Index done) {
    const Index left = settings.steps - done;
    if (settings.check_every == 0) return left;
    const Index next = (done + settings.check_every - 1) / settings.check_every * settings.check_every + 1;
    return std::min(next - done, left);
}

constexpr Column columns[] = {
    {"variant", "%-10s", "variant", "form of the kernels"},
    {"block", "%-13s", "block", "points of a row, rows and planes of a cache block"},
    median_s,
    {"GPoint/s", "%10.3f", "points/s", "points of the whole grid and steps", 1e-9},
    {"GFLOP/s", "%10.2f", "flops/s", "operations of the formula", 1e-9},
    {"GB/s", "%9.2f", "bytes/s", "bytes to and from memory, each once a step", 1e-9},
    {"of copy", "%9.2f", "fraction_of_copy", "share of the rate of a leapfrog without neighbours"},
    of_roofline,
    {"error", "%13.5e", "error", "sum of all points' errors over that of the exact field"},
    {"by theory", "%13.5e", "predicted_error", "error without rounding"},
};

template <class Real>
class Program {
public:
    Program(const Settings& settings, const Cartesian& cartesian, const Ranks& ranks)
        : settings_(settings),
          cartesian_(cartesian),
          ranks_(ranks),
          waves_(settings, cartesian, ranks.communicator),
          exchanged_points_(waves_.exchange.received_points()),
          copy_s_(copy_s()),
          limits_(measure_limits<Real>(cartesian.owned().points(), ranks.communicator)) {
        require_variant<Variant<Real>>(possible_, settings.variant);
        MPI_Allreduce(MPI_IN_PLACE, &exchanged_points_, 1, MPI_INT64_T, MPI_SUM, ranks.communicator);
    }

    ExitCode run(Results& results) {
        const Settings& s = settings_;
        results.begin(grid_text(s, cartesian_.ranks()) + text(", %s, %lld tries\n", stencil::registers(), s.tries) +
                      summary(limits_) +
                      text("%lld steps of %.6g (longest stable %.6g), half waves %lld, %lld, %lld, boundary %s\n",
                           s.steps, s.dt, longest_stable_step(), s.modes[0], s.modes[1], s.modes[2], s.boundary) +
                      text("a leapfrog without neighbours on these grids, at %lld B a point: %.3f GPoint/s\n",
                           stencil::values_per_point(leapfrog) * s.value_bytes(),
                           1e-9 * static_cast<double>(s.all_points()) / copy_s_));
        results.say(shared_cpus_remark(ranks_));
        const std::vector<Candidate<Real>> chosen = choose();
        std::vector<std::vector<Try>> tries(chosen.size());
        for (Index i = 0; i < s.tries;
             ++i) {  // tries of the variants are interleaved, so that drift affects all of them
            for (std::size_t j = 0; j < chosen.size(); ++j) tries[j].push_back(attempt(chosen[j]));
        }
        for (std::size_t j = 0; j < chosen.size(); ++j) results.add(sample(chosen[j], tries[j]));
        return results.end();
    }

private:
    struct Try {
        double seconds = 0;
        double exchange_s = 0;
        std::optional<double> device_copy_s;  ///< of a field on a device: a leapfrog without neighbours there
        Checks checks;
    };

    /// The checks are those of the first try that is not verified, or else of the last try.
    Sample sample(const Candidate<Real>& candidate, const std::vector<Try>& all) const {
        std::vector<double> seconds;
        std::vector<double> exchange_s;
        for (const Try& trial : all) {
            seconds.push_back(trial.seconds);
            exchange_s.push_back(trial.exchange_s);
        }
        const auto wrong = std::ranges::find_if(all, [](const Try& trial) { return !trial.checks.failure().empty(); });
        const Checks& v = wrong == all.end() ? all.back().checks : wrong->checks;
        const Settings& s = settings_;
        const Tries tries(seconds);
        const Index bytes_per_point = stencil::values_per_point(leapfrog) * s.value_bytes();
        const Index flops_per_point = stencil::flops_per_point(leapfrog, static_cast<int>(s.order));
        const Index points = s.all_points() * s.steps;
        const std::optional<double> device_copy_s = all.front().device_copy_s;
        const double copy_s = device_copy_s.value_or(copy_s_);
        Sample sample{.variant = std::string(candidate.variant->name),
                      .phase = "propagation",
                      .parameters = parameters_of(s, cartesian_.ranks(), s.order)
                                        .add("steps", s.steps)
                                        .add("dt", s.dt)
                                        .add("longest_stable_dt", longest_stable_step())
                                        .add("check_every", s.check_every)
                                        .add("modes", std::span<const Index>(s.modes))
                                        .add("boundary", s.boundary),
                      .bytes = points * bytes_per_point,
                      .flops = points * flops_per_point,
                      .points = points,
                      .error = v.error(),
                      .failure = v.failure(),
                      .details = {{"predicted_error", v.predicted()},
                                  {"error_allowed", v.error_allowed()},
                                  {"gap", v.gap()},
                                  {"gap_allowed", v.gap_allowed()},
                                  {"failure", v.failure()},
                                  {"registers", stencil::registers()},
                                  {"block", stencil::block_text(candidate.block)},
                                  {"points_per_s", static_cast<double>(points) / tries.median_s()},
                                  {"bytes_per_point", bytes_per_point},
                                  {"flops_per_point", flops_per_point},
                                  {"copy_points_per_s", static_cast<double>(s.all_points()) / copy_s},
                                  {"fraction_of_copy", copy_s * static_cast<double>(s.steps) / tries.median_s()},
                                  {"exchange_s", exchange_s},
                                  {"exchanged_bytes", exchanged_points_ * s.steps * s.value_bytes()}}};
        add_tries(sample, tries);
        if (device_copy_s) {
            sample.details.show("of_roof", std::optional<double>());  // the limits are those of the host
        } else {
            add_roofline(sample, points * bytes_per_point, MemoryBound::leapfrog, limits_);
        }
        return sample;
    }

    [[nodiscard]] double longest_stable_step() const {
        return stencil::longest_stable_step(settings_.points, static_cast<int>(settings_.order));
    }

    std::vector<Candidate<Real>> choose() {
        return stencil::choose_candidates(
            std::span<const Variant<Real>>(possible_), stencil::blocks_for<Real>(settings_, leapfrog), settings_,
            tuning_key("propa", case_of(settings_, cartesian_.ranks())), ranks_.communicator,
            [&](const Candidate<Real>& candidate) { return trial_s(candidate); });
    }

    double timed_s(Propagator<Real>& propagator, Index steps) {
        propagator.put();
        MPI_Barrier(ranks_.communicator);
        Stopwatch watch;
        propagator.advance(steps);
        const double seconds = watch.lap_s();
        propagator.get();
        return slowest_s(seconds, ranks_);
    }

    /// Time of a few steps in a second run; the first run warms up caches and pages.
    double trial_s(const Candidate<Real>& candidate) {
        const Index steps = std::max<Index>(waves_.steps_at_once, 4);
        const auto propagator = candidate.variant->make(waves_, candidate.block);
        waves_.start();
        timed_s(*propagator, steps);
        return timed_s(*propagator, steps);
    }

    Try attempt(const Candidate<Real>& candidate) {
        Try result;
        const auto propagator = candidate.variant->make(waves_, candidate.block);
        waves_.start();
        waves_.exchange_s = 0;
        for (Index done = 0; done < settings_.steps;) {
            const Index steps = steps_to_check(settings_, done);
            result.seconds += timed_s(*propagator, steps);
            done += steps;
            const bool counted = settings_.check_every == 0 || (done - 1) % settings_.check_every == 0;
            result.checks.check(waves_, cartesian_, settings_.mirrored(), done - 1, counted, ranks_.communicator);
        }
        result.exchange_s = slowest_s(waves_.exchange_s, ranks_);
        if (const auto copy_s = propagator->copy_s()) result.device_copy_s = slowest_s(*copy_s, ranks_);
        return result;
    }

    /// Median time of five passes of a leapfrog whose Laplacian is the point itself; threads share the planes.
    double copy_s() {
        const auto kernel = stencil::find_kernel<Real>(leapfrog, stencil::Form::vector, 0);
        waves_.start();
        std::vector<double> seconds;
        for (int i = 0; i < 5; ++i) {
            MPI_Barrier(ranks_.communicator);
            Stopwatch watch;
#pragma omp parallel
            {
                stencil::Work<Real> work =
                    stencil::make_work(leapfrog, 0, waves_.spacings, waves_.previous, waves_.current, &waves_.factor);
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
    std::vector<Variant<Real>> possible_ = supported(variants<Real>(), waves_);
    Index exchanged_points_;  ///< number of points that all ranks receive in each step
    double copy_s_;           ///< time of a leapfrog step without neighbours, the lower bound of a pass through memory
    MachineLimits limits_;
};

template <class Real>
ExitCode run(const Settings& settings, const Ranks& ranks) {
    if (settings.models()) return model<Real>(settings, ranks);
    const Cartesian cartesian(settings.points, cut(settings.points, ranks.count, settings.ranks), ranks.rank);
    Results results("propa", columns, settings.json, ranks);
    return Program<Real>(settings, cartesian, ranks).run(results);
}

ExitCode propagate(const Settings& settings, const Ranks& ranks) {
    return settings.single() ? run<float>(settings, ranks) : run<double>(settings, ranks);
}

}  // namespace

int main(int argc, char** argv) { return run_workload<Settings>(argc, argv, propagate, columns); }
