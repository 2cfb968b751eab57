// ww-fd: finite differences of every order along every axis, in MPI and OpenMP, checked against closed forms.
#include "workloads/common/program.hpp"
#include "workloads/common/stopwatch.hpp"
#include "workloads/common/threads.hpp"
#include "workloads/common/variants.hpp"
#include "workloads/fd/report.hpp"
#include "workloads/stencil/blocks.hpp"

#include <algorithm>
#include <cstdio>

namespace {

using namespace waywiser;
using namespace waywiser::fd;
using stencil::Form;

struct Variant {
    std::string_view name;
    std::string_view what;
    Form form;
};

constexpr Variant variants[] = {
    {"baseline", "plain loops, point by point", Form::plain},
    {"blocked", "vectors on several planes at once, in blocks that stay in cache", Form::vector},
    {"nontemporal", "the same, results stored round the caches", Form::nontemporal},
};

template <class Real>
class Program {
public:
    Program(const Settings& settings, const Cartesian& cartesian, const Ranks& ranks)
        : settings_(settings), cartesian_(cartesian), ranks_(ranks), field_(settings, cartesian, ranks.communicator) {}

    Run run() {
        Run run{.settings = settings_,
                .ranks = cartesian_.ranks(),
                .threads = thread_limit(),
                .copy_s = copy_s(),
                .measured = {}};
        for (const NamedOperator& operation : settings_.chosen()) measure(operation, run.measured);
        return run;
    }

private:
    /// Tries interleave the variants that they compare.
    void measure(const NamedOperator& operation, std::vector<Measured>& all) {
        const std::vector<const Variant*> chosen = choose(operation);
        const std::size_t first = all.size();
        for (const Variant* variant : chosen) {
            all.push_back({operation, std::string(variant->name), {}, {}, {}});
            apply(*variant, operation);
        }
        for (Index i = 0; i < settings_.tries; ++i) {
            for (std::size_t j = 0; j < chosen.size(); ++j) {
                Measured& m = all[first + j];
                m.seconds.push_back(apply(*chosen[j], operation));
                m.exchange_s.push_back(slowest_s(exchange_s_, ranks_));
                if (i + 1 == settings_.tries) {
                    m.verdict = verify(settings_, cartesian_, field_, operation.operation, ranks_.communicator);
                }
            }
        }
    }

    std::vector<const Variant*> choose(const NamedOperator& operation) {
        const Index3& n = settings_.points;
        std::string what = std::string(operation.name) + ":order-" + std::to_string(settings_.order);
        what += ":" + settings_.precision;
        for (const Index i : {n[0], n[1], n[2], Index{ranks_.count}, Index{thread_limit()}})
            what.append(":").append(std::to_string(i));
        return choose_variants(std::span<const Variant>(variants), settings_.variant, tuning_key("fd", what),
                               settings_.retune, ranks_.communicator, [&](const Variant& v) {
                                   apply(v, operation);
                                   return std::min(apply(v, operation), apply(v, operation));
                               });
    }

    /// The exchange of the halo, and the operator on every point; seconds of the slowest rank.
    double apply(const Variant& variant, const NamedOperator& operation) {
        const int order = static_cast<int>(settings_.order);
        const auto kernel = stencil::find_kernel<Real>(operation.operation, variant.form, order);
        stencil::Work<Real> work =
            stencil::make_work<Real>(operation.operation, order, field_.spacings, field_.result, field_.u, nullptr);
        work.nontemporal = variant.form == Form::nontemporal;
        const auto compute = [&](const Region& box) {
            stencil::each_block(box, order, [&](const Region& block) {
                stencil::Work<Real> mine = work;
                mine.box = block;
                kernel(mine);
            });
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

ExitCode differentiate(std::span<const char* const> arguments, const Ranks& ranks) {
    const Settings settings = read_settings(arguments);
    if (settings.help) {
        if (ranks.rank == 0) std::fputs(help_text().c_str(), stdout);
        return success;
    }
    const Cartesian cartesian(settings.points, cut(settings.points, ranks.count, settings.ranks), ranks.rank);
    std::optional<JsonLines> lines = open_samples(settings.json, ranks);
    const Run run = settings.single() ? Program<float>(settings, cartesian, ranks).run()
                                      : Program<double>(settings, cartesian, ranks).run();
    if (ranks.rank == 0) {
        std::fputs(summary(run).c_str(), stdout);
        if (lines) write_samples(run, *lines);
    }
    return run.verified() ? success : unverified;
}

}  // namespace

int main(int argc, char** argv) { return run_program("ww-fd", argc, argv, differentiate); }
