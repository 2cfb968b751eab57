// ww-fd: finite differences of every order along every axis, in MPI and OpenMP, checked against closed forms.
#include "workloads/common/binding.hpp"
#include "workloads/common/results.hpp"
#include "workloads/common/stopwatch.hpp"
#include "workloads/common/threads.hpp"
#include "workloads/fd/report.hpp"
#include "workloads/stencil/ways.hpp"

#include <algorithm>

namespace {

using namespace waywiser;
using namespace waywiser::fd;
using stencil::Form;

struct Variant {
    std::string_view name;
    std::string_view what;
    Form form;
    bool in_blocks;
};

using Way = stencil::Way<Variant>;

constexpr Variant variants[] = {
    {"baseline", "plain loops, point by point", Form::plain, false},
    {"blocked", "vectors on several planes at once, in blocks that stay in cache", Form::vector, true},
    {"nontemporal", "the same, results stored round the caches", Form::nontemporal, true},
};

template <class Real>
class Program {
public:
    Program(const Settings& settings, const Cartesian& cartesian, const Ranks& ranks)
        : settings_(settings), cartesian_(cartesian), ranks_(ranks), field_(settings, cartesian, ranks.communicator) {}

    ExitCode run(Results& results) {
        const Run run{.settings = settings_,
                      .ranks = cartesian_.ranks(),
                      .copy_s = copy_s(),
                      .limits = measure_limits<Real>(cartesian_.owned().points(), ranks_.communicator)};
        results.say(heading(run) + shared_cpus_remark(ranks_));
        for (const NamedOperator& operation : settings_.chosen()) measure(run, operation, results);
        return results.end();
    }

private:
    /// Tries interleave the variants that they compare.
    void measure(const Run& run, const NamedOperator& operation, Results& results) {
        const std::vector<Way> chosen = choose(operation);
        for (const Way& way : chosen) apply(way, operation);
        std::vector<std::vector<double>> seconds(chosen.size());
        std::vector<std::vector<double>> exchange_s(chosen.size());
        std::vector<Verdict> verdicts(chosen.size());
        for (Index i = 0; i < settings_.tries; ++i) {
            for (std::size_t j = 0; j < chosen.size(); ++j) {
                seconds[j].push_back(apply(chosen[j], operation));
                exchange_s[j].push_back(slowest_s(exchange_s_, ranks_));
                if (i + 1 < settings_.tries) continue;
                verdicts[j] = verify(settings_, cartesian_, field_, operation.operation, ranks_.communicator);
            }
        }
        for (std::size_t j = 0; j < chosen.size(); ++j) {
            results.add(Measured{&run, operation, chosen[j].variant->name, chosen[j].block, Tries(seconds[j]),
                                 exchange_s[j], verdicts[j]});
        }
    }

    std::vector<Way> choose(const NamedOperator& operation) {
        const Index3& n = settings_.points;
        std::string what = std::string(operation.name) + ":order-" + std::to_string(settings_.order);
        what += ":" + settings_.precision;
        const Index3& p = cartesian_.ranks();
        for (const Index i : {n[0], n[1], n[2], p[0], p[1], p[2], Index{thread_limit()}})
            what.append(":").append(std::to_string(i));
        return stencil::choose_ways(std::span<const Variant>(variants),
                                    stencil::blocks_for<Real>(settings_, operation.operation), settings_,
                                    tuning_key("fd", what), ranks_.communicator, [&](const Way& way) {
                                        apply(way, operation);
                                        return std::min(apply(way, operation), apply(way, operation));
                                    });
    }

    /// The exchange of the halo, and the operator on every point; seconds of the slowest rank.
    double apply(const Way& way, const NamedOperator& operation) {
        const int order = static_cast<int>(settings_.order);
        const auto kernel = stencil::find_kernel<Real>(operation.operation, way.variant->form, order);
        stencil::Work<Real> work =
            stencil::make_work<Real>(operation.operation, order, field_.spacings, field_.result, field_.u, nullptr);
        work.nontemporal = way.variant->form == Form::nontemporal;
        const auto compute = [&](const Region& box) {
            stencil::each_block<Real>(box, way.block,
                                      [&](const Region& now, const Region& next) { kernel(work.part(now, next)); });
        };
        MPI_Barrier(ranks_.communicator);
        Stopwatch watch;
        exchange_s_ = stencil::overlap(field_.exchange, field_.u, compute);
        return slowest_s(watch.lap_s(), ranks_);
    }

    /// The median of five copies of the grid's inner points, each thread in its planes.
    double copy_s() {
        std::vector<double> seconds;
        const Index3& n = field_.u.inner();
        for (int i = 0; i < 6; ++i) {
            MPI_Barrier(ranks_.communicator);
            Stopwatch watch;
#pragma omp parallel for schedule(static)
            for (Index i3 = 0; i3 < n[2]; ++i3) {
                for (Index i2 = 0; i2 < n[1]; ++i2) std::copy_n(field_.u.row(i2, i3), n[0], field_.result.row(i2, i3));
            }
            seconds.push_back(slowest_s(watch.lap_s(), ranks_));
        }
        std::sort(seconds.begin() + 1, seconds.end());  // the first one is for pages and caches
        return seconds[3];
    }

    const Settings& settings_;
    const Cartesian& cartesian_;
    const Ranks& ranks_;
    Field<Real> field_;
    double exchange_s_ = 0;
};

template <class Real>
ExitCode run(const Settings& settings, const Ranks& ranks) {
    const Cartesian cartesian(settings.points, cut(settings.points, ranks.count, settings.ranks), ranks.rank);
    Results results("fd", settings.json, ranks);
    return Program<Real>(settings, cartesian, ranks).run(results);
}

ExitCode differentiate(const Settings& settings, const Ranks& ranks) {
    return settings.single() ? run<float>(settings, ranks) : run<double>(settings, ranks);
}

}  // namespace

int main(int argc, char** argv) { return run_workload<Settings>(argc, argv, differentiate); }
