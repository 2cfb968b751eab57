// ww-memory: how fast ranks and threads fill, copy, combine and read long arrays.
#include "workloads/common/binding.hpp"
#include "workloads/common/results.hpp"
#include "workloads/common/variants.hpp"
#include "workloads/memory/report.hpp"

namespace {

using namespace waywiser;
using namespace waywiser::memory;

/// Refuses an unknown variant before the work, not at the first kernel that stores.
void require_variant(const std::string& name) {
    if (name != "auto" && name != "all") static_cast<void>(find_named(variants("copy"), "variant", name));
}

template <typename Real>
std::vector<const Variant*> chosen_variants(const Settings& settings, const Kernel& kernel, Arrays<Real>& arrays,
                                            const Ranks& ranks) {
    const std::string case_ = settings.precision + ':' + std::to_string(arrays.points());
    const auto seconds = [&](const Variant& variant) {
        return measure(kernel, variant, arrays, 3, ranks.communicator).tries.median_s();
    };
    // `read` has one way, whatever the others are asked for.
    const std::string wanted = kernel.stream == nullptr ? "all" : settings.variant;
    return choose_variants(variants(kernel.name), wanted, tuning_key("memory." + std::string(kernel.name), case_),
                           settings.retune, ranks.communicator, seconds);
}

template <typename Real>
ExitCode run(const Settings& settings, const Ranks& ranks) {
    const std::vector<const Kernel*> chosen = all_named(kernels(), "kernel", settings.kernel);
    require_variant(settings.variant);
    Results results("memory", settings.json, ranks);
    Arrays<Real> arrays(settings.all_points(), settings.scale_b, settings.scale_c);
    const MachineLimits limits = measure_limits<Real>(arrays.points(), ranks.communicator);
    results.say(heading(settings, limits, ranks.count) + shared_cpus_remark(ranks));
    for (const Kernel* kernel : chosen) {
        for (const Variant* variant : chosen_variants(settings, *kernel, arrays, ranks)) {
            const Result result = measure(*kernel, *variant, arrays, settings.tries, ranks.communicator);
            results.add(Measured{&settings, kernel, variant, &limits, &result, ranks.count});
        }
    }
    return results.end();
}

ExitCode memory_program(const Settings& settings, const Ranks& ranks) {
    return settings.single() ? run<float>(settings, ranks) : run<double>(settings, ranks);
}

}  // namespace

int main(int argc, char** argv) { return run_workload<Settings>(argc, argv, memory_program); }
