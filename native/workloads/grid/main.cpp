// ww-grid: fills, updates, bounds and reduces a grid that is cut among the ranks.
#include "workloads/common/binding.hpp"
#include "workloads/common/results.hpp"
#include "workloads/common/variants.hpp"
#include "workloads/grid/report.hpp"

namespace {

using namespace waywiser;
using namespace waywiser::grid;

template <class Real>
std::vector<const Variant*> chosen_variants(const Settings& settings, const Kernel& kernel, Workbench<Real>& bench,
                                            const Ranks& ranks) {
    const Index3& n = settings.points;
    const std::string case_ =
        settings.precision + ':' + std::to_string(n[0]) + 'x' + std::to_string(n[1]) + 'x' + std::to_string(n[2]);
    const auto seconds = [&](const Variant& variant) { return bench.measure(kernel, variant, 3).tries.median_s(); };
    return choose_variants(kernel.variants, kernel.variants.size() == 1 ? "all" : settings.variant,
                           tuning_key("grid." + std::string(kernel.name), case_), settings.retune, ranks.communicator,
                           seconds);
}

template <class Real>
ExitCode run(const Settings& settings, const Ranks& ranks) {
    const std::vector<const Kernel*> chosen = all_named(kernels(), "kernel", settings.kernel);
    if (settings.variant != "auto" && settings.variant != "all") {  // before the work, not at the first that has both
        static_cast<void>(find_named(find_named(kernels(), "kernel", "max").variants, "variant", settings.variant));
    }
    Workbench<Real> bench(settings, ranks);
    Results results("grid", settings.json, ranks);
    const Region owned = bench.cartesian().owned();
    const MachineLimits limits = measure_limits<Real>(owned.points(), ranks.communicator);
    results.say(heading(settings, bench.cartesian(), limits) + shared_cpus_remark(ranks));
    for (const Kernel* kernel : chosen) {
        const Cost cost = bench.cost(*kernel);
        for (const Variant* variant : chosen_variants(settings, *kernel, bench, ranks)) {
            const Result result = bench.measure(*kernel, *variant, settings.tries);
            results.add(Measured{&settings, &bench.cartesian(), kernel, variant, &limits, &result, cost});
        }
    }
    return results.end();
}

ExitCode grid_program(const Settings& settings, const Ranks& ranks) {
    return settings.single() ? run<float>(settings, ranks) : run<double>(settings, ranks);
}

}  // namespace

int main(int argc, char** argv) { return run_workload<Settings>(argc, argv, grid_program); }
