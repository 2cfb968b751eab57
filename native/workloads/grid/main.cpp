// ww-grid: fills, updates and reduces a grid that is distributed among the ranks, and applies its boundary condition.
#include "workloads/common/binding.hpp"
#include "workloads/common/results.hpp"
#include "workloads/common/text.hpp"
#include "workloads/common/variants.hpp"
#include "workloads/grid/workbench.hpp"

namespace waywiser::grid {

Options options_of(Settings& s) {
    Options options("ww-grid",
                    "sweeps over a grid with a halo that is cut among the ranks, after hpcscan's case Grid.\n"
                    "Reductions are checked against closed forms, everything else point by point.");
    add_points(options, s, 1, "points of the whole grid on axis 1");
    add_cut(options, s, "the least to exchange");
    add_order(options, s);
    options.add_text("kernel", s.kernel, "one of the kernels, or all",
                     "fill, max-error, l1-error, sum-abs, sum-abs-difference, max, min, update-pressure or boundary; "
                     "kernel to time; default all");
    add_variants(options, s, "plain, vectorised", "form of the loops");
    options.add_real("param1", s.fill_value, -1e6, 1e6, "value that fill writes; default 0.8");
    options.add_flag("barrier", s.barrier, "time a barrier after each sweep too, as hpcscan does");
    add_running(options, s, "timed sweeps of each, after one to warm up; default 10");
    return options;
}

}  // namespace waywiser::grid

namespace {

using namespace waywiser;
using namespace waywiser::grid;

constexpr Kernel kernels[] = {
    {"fill", "w = s", Operation::fill, 0, 1, 1, 0, MemoryBound::copy},
    {"max-error", "max |w - r| / |r|", Operation::max_error, 2, 0, 0, 2, MemoryBound::read},
    {"l1-error", "sum |w - r| / sum |r|", Operation::l1_error, 2, 0, 0, 3, MemoryBound::read},
    {"sum-abs", "sum |w|", Operation::sum_abs, 1, 0, 0, 1, MemoryBound::read},
    {"sum-abs-difference", "sum |w - r|", Operation::sum_abs_difference, 2, 0, 0, 2, MemoryBound::read},
    {"max", "max w", Operation::max, 1, 0, 0, 1, MemoryBound::read},
    {"min", "min w", Operation::min, 1, 0, 0, 1, MemoryBound::read},
    {"update-pressure", "w = 2 r - w + c l", Operation::update_pressure, 4, 1, 0, 4, MemoryBound::leapfrog},
    {"boundary", "w = -w mirrored", Operation::boundary, 1, 1, 1, 0, MemoryBound::copy},
};

struct Variant {
    std::string_view name;
    Form form;
    bool (*supported)(const Kernel& kernel);
};

constexpr Variant variants[] = {
    {"plain", Form::plain, [](const Kernel&) { return true; }},
    {"vectorised", Form::vectorised, [](const Kernel& kernel) { return kernel.reduces(); }},
};

constexpr Column columns[] = {
    {"kernel", "%-19s", "phase", "see --kernel"},
    {"variant", "%-11s", "variant", "form of the loops"},
    median_s,
    min_s,
    max_s,
    {"GB/s", "%9.2f", "bytes/s", "bytes that the formula names", 1e-9},
    {"GB/s all", "%9.2f", "moved_bytes/s", "bytes to and from memory, write-allocates included", 1e-9},
    {"GPoint/s", "%9.3f", "points/s", "points that are swept", 1e-9},
    {of_roofline.heading, "%7.2f", of_roofline.key, of_roofline.meaning},
    {"error", "%10.2e", "error", "greatest relative error of any point or rank"},
};

/// The value of a reduction; none for a kernel that writes a field.
std::optional<double> value(const Kernel& kernel, const Reduced& reduced) {
    if (!kernel.reduces()) return {};
    return kernel.operation == Operation::l1_error ? reduced.value / reduced.beside : reduced.value;
}

template <class Real>
ExitCode run(const Settings& s, const Ranks& ranks) {
    const std::vector<const Kernel*> chosen = all_named<Kernel>(kernels, "kernel", s.kernel);
    require_variant<Variant>(variants, s.variant);
    Workbench<Real> bench(s, ranks);
    const Cartesian& cartesian = bench.cartesian();
    Results results("grid", columns, s.json, ranks);
    const MachineLimits limits = measure_limits<Real>(cartesian.owned().points(), ranks.communicator);
    results.begin(text("%s points of %s on %s rank(s) of %d thread(s), %lld tries\n", product_text(s.points),
                       s.precision, product_text(cartesian.ranks()), thread_limit(), s.tries) +
                  summary(limits));
    results.say(shared_cpus_remark(ranks));
    for (const Kernel* kernel : chosen) {
        const Cost cost = bench.cost(*kernel);
        const auto measure = [&](const Variant& variant, Index tries) {
            const Result result = bench.measure(*kernel, variant.form, tries);
            Sample sample{.variant = std::string(variant.name),
                          .phase = std::string(kernel->name),
                          .parameters = parameters_of(s, cartesian.ranks(), s.order).add("barrier", s.barrier),
                          .bytes = cost.counted_bytes,
                          .flops = cost.flops,
                          .points = cost.points,
                          .error = result.error,
                          .failure = result.error <= result.allowed ? "" : "results are wrong",
                          .details = {{"formula", kernel->formula},
                                      {"value", value(*kernel, result.value)},
                                      {"moved_bytes", cost.moved_bytes},
                                      {"error_allowed", result.allowed}}};
            add_tries(sample, result.tries);
            add_roofline(sample, cost.moved_bytes, kernel->like, limits);
            return sample;
        };
        const std::string case_ = s.precision + ':' + joined(s.points, "x");
        measure_variants(results, s, supported<Variant>(variants, *kernel),
                         tuning_key("grid." + std::string(kernel->name), case_), ranks.communicator, measure);
    }
    return results.end();
}

ExitCode grid_program(const Settings& settings, const Ranks& ranks) {
    return settings.single() ? run<float>(settings, ranks) : run<double>(settings, ranks);
}

}  // namespace

int main(int argc, char** argv) { return run_workload<Settings>(argc, argv, grid_program, columns); }
