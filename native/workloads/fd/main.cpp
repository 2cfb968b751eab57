// ww-fd: finite differences of every order along every axis, in MPI and OpenMP, checked against closed forms.
#include "workloads/common/binding.hpp"
#include "workloads/common/results.hpp"
#include "workloads/common/roofline.hpp"
#include "workloads/common/text.hpp"
#include "workloads/common/tries.hpp"
#include "workloads/fd/field.hpp"
#include "workloads/stencil/candidates.hpp"
#include "workloads/stencil/exact.hpp"

#include <cmath>
#include <numbers>

namespace waywiser::fd {
namespace {

using stencil::Operator;

struct NamedOperator {
    std::string_view name;
    Operator operation;
};

constexpr NamedOperator operators[] = {
    {"first-1", Operator::first_1},     {"first-2", Operator::first_2},   {"first-3", Operator::first_3},
    {"second-1", Operator::second_1},   {"second-2", Operator::second_2}, {"second-3", Operator::second_3},
    {"laplacian", Operator::laplacian},
};

/// Smallest number of half waves on an axis for which the theoretical error of the second derivative is 0.2 % or more.
double visible_mode(const Settings& s, std::size_t axis) {
    Index mode = 1;
    for (; 10 * mode < 9 * (s.points[axis] - 1); ++mode) {
        const double phase = std::numbers::pi * static_cast<double>(mode) * s.spacing(axis);
        if (std::abs(stencil::second_symbol(static_cast<int>(s.order), phase) / (phase * phase) + 1) >= 2e-3) break;
    }
    // The number differs between axes, so that a swap of two axes is detected.
    return static_cast<double>(mode) + 0.25 * static_cast<double>(axis);
}

std::vector<const NamedOperator*> chosen_operators(const Settings& s) {
    return all_named<NamedOperator>(operators, "operator", s.operation);
}

}  // namespace

Options options_of(Settings& s) {
    Options options("ww-fd",
                    "finite differences, after hpcscan's test cases FD_D1 and FD_D2.\n"
                    "First derivatives (staggered) and second ones along each axis, and the Laplacian, of a product of "
                    "sines, checked against the exact result.");
    add_points(options, s, 3, "points of the whole grid on axis 1");
    add_cut(options, s, "the least to exchange");
    add_order(options, s);
    options.add_text("operator", s.operation, "all, or one of first-1 ... first-3, second-1 ... second-3, laplacian",
                     "operator to apply; default all");
    options.add_real("mode1", s.modes[0], 1e-6, 1e6, "half waves on axis 1; default: an error of 0.2 % or more");
    options.add_real("mode2", s.modes[1], 1e-6, 1e6, "half waves on axis 2; default as for --mode1");
    options.add_real("mode3", s.modes[2], 1e-6, 1e6, "half waves on axis 3; default as for --mode1");
    options.add_real("amplitude", s.amplitude, 1e-6, 1e6, "amplitude of the sines; default 0.8");
    add_variants(options, s, "baseline, blocked, nontemporal", "form of the kernels");
    add_block(options, s);
    add_running(options, s, "timed applications of each, after one to warm up; default 10");
    return options;
}

void complete(Settings& s) {
    waywiser::complete(s);
    for (std::size_t axis = 0; axis < 3; ++axis) {
        if (s.modes[axis] == 0) s.modes[axis] = visible_mode(s, axis);
    }
    stencil::require_visible_waves(s.points, s.modes);
    static_cast<void>(chosen_operators(s));
}

}  // namespace waywiser::fd

namespace {

using namespace waywiser;
using namespace waywiser::fd;
using stencil::Form;

struct Variant {
    std::string_view name;
    Form form;
    bool in_blocks;
};

using Candidate = stencil::Candidate<Variant>;

constexpr Variant variants[] = {
    {"baseline", Form::plain, false},
    {"blocked", Form::vector, true},
    {"nontemporal", Form::nontemporal, true},
};

constexpr Column columns[] = {
    {"operator", "%-10s", "phase", "see --operator"},
    {"variant", "%-11s", "variant", "form of the kernels"},
    {"block", "%-13s", "block", "points of a row, rows and planes of a cache block"},
    median_s,
    {"GPoint/s", "%10.3f", "points/s", "points of the whole grid", 1e-9},
    {"GFLOP/s", "%10.2f", "flops/s", "operations of the formula", 1e-9},
    {"GB/s", "%9.2f", "bytes/s", "bytes to and from memory, each once", 1e-9},
    {"of copy", "%9.2f", "fraction_of_copy", "share of the rate of a copy of the grid"},
    of_roofline,
    {"error", "%13.5e", "error", "sum of all points' errors over that of the exact result"},
    {"by theory", "%13.5e", "predicted_error", "error without rounding"},
};

template <class Real>
class Program {
public:
    Program(const Settings& settings, const Cartesian& cartesian, const Ranks& ranks)
        : settings_(settings),
          cartesian_(cartesian),
          ranks_(ranks),
          field_(settings, cartesian, ranks.communicator),
          copy_s_(copy_s()),
          limits_(measure_limits<Real>(cartesian.owned().points(), ranks.communicator)) {}

    ExitCode run(Results& results) {
        const auto& [m1, m2, m3] = settings_.modes;
        results.begin(grid_text(settings_, cartesian_.ranks()) +
                      text(", %s, %lld tries\n", stencil::registers(), settings_.tries) + summary(limits_) +
                      text("half waves %g, %g, %g; a copy of the grid in this run: %.3f GPoint/s\n", m1, m2, m3,
                           1e-9 * static_cast<double>(settings_.all_points()) / copy_s_));
        results.say(shared_cpus_remark(ranks_));
        for (const NamedOperator* operation : chosen_operators(settings_)) measure(*operation, results);
        return results.end();
    }

private:
    /// Tries of a variant, and the deviation of the result of the last try.
    struct Measured {
        std::vector<double> seconds;
        std::vector<double> exchange_s;
        Deviation deviation;
    };

    /// Tries interleave the variants that they compare.
    void measure(const NamedOperator& operation, Results& results) {
        const std::vector<Candidate> chosen = choose(operation);
        for (const Candidate& candidate : chosen) apply(candidate, operation);
        std::vector<Measured> measured(chosen.size());
        for (Index i = 0; i < settings_.tries; ++i) {
            for (std::size_t j = 0; j < chosen.size(); ++j) {
                Measured& m = measured[j];
                m.seconds.push_back(apply(chosen[j], operation));
                m.exchange_s.push_back(slowest_s(exchange_s_, ranks_));
                if (i + 1 < settings_.tries) continue;
                m.deviation = verify(settings_, cartesian_, field_, operation.operation, ranks_.communicator);
            }
        }
        for (std::size_t j = 0; j < chosen.size(); ++j) results.add(sample(operation, chosen[j], measured[j]));
    }

    Sample sample(const NamedOperator& operation, const Candidate& candidate, const Measured& m) const {
        const Settings& s = settings_;
        const Deviation& v = m.deviation;
        const Tries tries(m.seconds);
        const Index points = s.all_points();
        const Index bytes = points * stencil::values_per_point(operation.operation) * s.value_bytes();
        Sample sample{.variant = std::string(candidate.variant->name),
                      .phase = std::string(operation.name),
                      .parameters = parameters_of(s, cartesian_.ranks(), s.order)
                                        .add("operator", operation.name)
                                        .add("modes", std::span<const double>(s.modes))
                                        .add("amplitude", s.amplitude),
                      .bytes = bytes,
                      .flops = points * stencil::flops_per_point(operation.operation, static_cast<int>(s.order)),
                      .points = points,
                      .error = v.error,
                      .failure = v.failure(),
                      .details = {{"predicted_error", v.predicted},
                                  {"error_allowed", v.error_allowed},
                                  {"gap", v.gap},
                                  {"gap_allowed", v.gap_allowed},
                                  {"failure", v.failure()},
                                  {"registers", stencil::registers()},
                                  {"block", stencil::block_text(candidate.block)},
                                  {"points_per_s", static_cast<double>(points) / tries.median_s()},
                                  {"copy_points_per_s", static_cast<double>(points) / copy_s_},
                                  {"fraction_of_copy", copy_s_ / tries.median_s()},
                                  {"exchange_s", m.exchange_s}}};
        add_tries(sample, tries);
        add_roofline(sample, bytes, MemoryBound::copy, limits_);  // a result is written and u is read
        return sample;
    }

    std::vector<Candidate> choose(const NamedOperator& operation) {
        const std::string case_ = std::string(operation.name) + ':' + case_of(settings_, cartesian_.ranks());
        return stencil::choose_candidates(
            std::span<const Variant>(variants), stencil::blocks_for<Real>(settings_, operation.operation), settings_,
            tuning_key("fd", case_), ranks_.communicator, [&](const Candidate& candidate) {
                apply(candidate, operation);
                return std::min(apply(candidate, operation), apply(candidate, operation));
            });
    }

    /// Exchanges the halo and applies the operator to every point. Returns the seconds of the slowest rank.
    double apply(const Candidate& candidate, const NamedOperator& operation) {
        const int order = static_cast<int>(settings_.order);
        const auto kernel = stencil::find_kernel<Real>(operation.operation, candidate.variant->form, order);
        stencil::Work<Real> work =
            stencil::make_work<Real>(operation.operation, order, field_.spacings, field_.result, field_.u, nullptr);
        work.nontemporal = candidate.variant->form == Form::nontemporal;
        const auto compute = [&](const Region& box) {
            stencil::each_block<Real>(box, candidate.block,
                                      [&](const Region& now, const Region& next) { kernel(work.part(now, next)); });
        };
        MPI_Barrier(ranks_.communicator);
        Stopwatch watch;
        exchange_s_ = stencil::overlap(field_.exchange, field_.u, compute);
        return slowest_s(watch.lap_s(), ranks_);
    }

    /// Returns the median time of five copies of the grid's inner points, with each thread on its own planes.
    double copy_s() {
        const Index3& n = field_.u.inner();
        return time_tries(5, ranks_.communicator,
                          [&] {
#pragma omp parallel for schedule(static)
                              for (Index i3 = 0; i3 < n[2]; ++i3) {
                                  for (Index i2 = 0; i2 < n[1]; ++i2)
                                      std::copy_n(field_.u.row(i2, i3), n[0], field_.result.row(i2, i3));
                              }
                          })
            .median_s();
    }

    const Settings& settings_;
    const Cartesian& cartesian_;
    const Ranks& ranks_;
    Field<Real> field_;
    double copy_s_;
    MachineLimits limits_;
    double exchange_s_ = 0;  ///< exchange time of the last application
};

template <class Real>
ExitCode run(const Settings& settings, const Ranks& ranks) {
    const Cartesian cartesian(settings.points, cut(settings.points, ranks.count, settings.ranks), ranks.rank);
    Results results("fd", columns, settings.json, ranks);
    return Program<Real>(settings, cartesian, ranks).run(results);
}

ExitCode differentiate(const Settings& settings, const Ranks& ranks) {
    require_variant<Variant>(variants, settings.variant);
    return settings.single() ? run<float>(settings, ranks) : run<double>(settings, ranks);
}

}  // namespace

int main(int argc, char** argv) { return run_workload<Settings>(argc, argv, differentiate, columns); }
