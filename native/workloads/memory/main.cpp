// ww-memory: how fast ranks and threads fill, copy, combine and read long arrays.
#include "workloads/common/binding.hpp"
#include "workloads/common/precision.hpp"
#include "workloads/common/program.hpp"
#include "workloads/common/variants.hpp"
#include "workloads/memory/report.hpp"

#include <cstdio>

namespace {

using namespace waywiser;
using namespace waywiser::memory;

std::vector<const Kernel*> chosen_kernels(const Settings& settings) {
    std::vector<const Kernel*> chosen;
    if (settings.kernel != "all") return {&find_named(kernels(), "kernel", settings.kernel)};
    for (const Kernel& kernel : kernels()) chosen.push_back(&kernel);
    return chosen;
}

/// Before the work, not at the first kernel that stores.
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
    const std::vector<const Kernel*> chosen = chosen_kernels(settings);
    require_variant(settings.variant);
    std::optional<JsonLines> lines = open_samples(settings.json, ranks);
    Arrays<Real> arrays(settings.points_a_rank(), settings.scale_b, settings.scale_c);
    const MachineLimits limits = measure_limits<Real>(arrays.points(), ranks.communicator);
    const std::string remark = shared_cpus_remark(ranks);
    if (ranks.rank == 0) {
        std::fputs((heading(settings, limits, ranks.count, thread_limit()) + remark).c_str(), stdout);
    }
    bool verified = true;
    for (const Kernel* kernel : chosen) {
        for (const Variant* variant : chosen_variants(settings, *kernel, arrays, ranks)) {
            const Result result = measure(*kernel, *variant, arrays, settings.tries, ranks.communicator);
            verified = verified && result.verified();
            if (ranks.rank != 0) continue;
            const Measured measured{&settings, kernel, variant, &limits, &result, ranks.count, thread_limit()};
            std::fputs(row(measured).c_str(), stdout);
            if (lines) lines->write(to_json(sample(measured)));
        }
    }
    if (ranks.rank == 0) std::puts(verified ? "verified" : "NOT VERIFIED: values are wrong");
    return verified ? success : unverified;
}

ExitCode memory_program(std::span<const char* const> arguments, const Ranks& ranks) {
    const Settings settings = read_settings(arguments);
    if (settings.help) {
        if (ranks.rank == 0) std::fputs(help_text().c_str(), stdout);
        return success;
    }
    return with_precision(settings.precision, [&](auto zero) { return run<decltype(zero)>(settings, ranks); });
}

}  // namespace

int main(int argc, char** argv) { return run_program("ww-memory", argc, argv, memory_program); }
