// ww-memory: bandwidth with which ranks and threads fill, copy, combine and read long arrays.
#include "workloads/common/binding.hpp"
#include "workloads/common/greatest.hpp"
#include "workloads/common/results.hpp"
#include "workloads/common/roofline.hpp"
#include "workloads/common/text.hpp"
#include "workloads/common/tries.hpp"
#include "workloads/common/variants.hpp"
#include "workloads/memory/arrays.hpp"

#include <cmath>

namespace {

using namespace waywiser;
using namespace waywiser::memory;

/// Points are per rank; order and decomposition do not apply.
struct Settings : KernelSettings {
    Settings() { variant = "all"; }

    std::string kernel = "all";
    double scale_b = 0.8;
    double scale_c = 0.9;
};

Options options_of(Settings& s) {
    Options options("ww-memory",
                    "sweeps over long arrays, after STREAM and hpcscan's case Memory.\n"
                    "Every rank sweeps arrays of its own, with all its threads.");
    add_points(options, s, 1, "a rank's arrays have n1 n2 n3 points");
    options.add_text("kernel", s.kernel, "read, fill, copy, add, multiply, add-update, triad, leapfrog or all",
                     "kernel to time; default all");
    add_variants(options, s, "plain, nontemporal", "kind of stores");
    options.add_real("param1", s.scale_b, -1e6, 1e6, "greatest value of b is nearly twice this; default 0.8");
    options.add_real("param2", s.scale_c, -1e6, 1e6,
                     "the same for c; also the scalar s of fill and triad; default 0.9");
    add_running(options, s, "timed sweeps of each, after one to warm up; default 10");
    return options;
}

struct Kernel : Stream {
    MemoryBound like;
    bool stores = true;  ///< false: the kernel reads b and adds up its values
};

constexpr Kernel kernels[] = {
    {{StreamKernel::copy, "read", "sum of b", 0, true, 1}, MemoryBound::read, false},
    {stream_of(StreamKernel::fill), MemoryBound::copy},
    {stream_of(StreamKernel::copy), MemoryBound::copy},
    {stream_of(StreamKernel::add), MemoryBound::triad},
    {stream_of(StreamKernel::multiply), MemoryBound::triad},
    {stream_of(StreamKernel::add_update), MemoryBound::leapfrog},
    {stream_of(StreamKernel::triad), MemoryBound::triad},
    {stream_of(StreamKernel::leapfrog), MemoryBound::leapfrog},
};

struct Variant {
    std::string_view name;
    Stores stores;
    bool (*supported)(const Kernel& kernel);
};

constexpr Variant variants[] = {
    {"plain", Stores::plain, [](const Kernel&) { return true; }},
    {"nontemporal", Stores::nontemporal, [](const Kernel& kernel) { return kernel.stores && has_nontemporal_stores; }},
};

constexpr Column columns[] = {
    {"kernel", "%-11s", "phase", "kernel, see --kernel"},
    {"variant", "%-12s", "variant", "kind of stores"},
    median_s,
    min_s,
    max_s,
    {"GB/s", "%9.2f", "bytes/s", "bytes that the formula names", 1e-9},
    {"GB/s all", "%9.2f", "moved_bytes/s", "bytes to and from memory, write-allocates included", 1e-9},
    {"GPoint/s", "%9.3f", "points/s", "points of all ranks", 1e-9},
    {"error", "%10.2e", "error", "greatest relative error of any point"},
};

/// The expected value of a point after a number of sweeps from a = 0, and the magnitude to which its rounding errors
/// are relative.
struct Expected {
    double value;
    double size;
};

Expected expected(StreamKernel kernel, double b, double c, double s, Index sweeps) {
    const auto itself = [](double value) { return Expected{value, std::abs(value)}; };
    switch (kernel) {
        case StreamKernel::fill: return itself(s);
        case StreamKernel::copy: return itself(b);
        case StreamKernel::add: return {b + c, std::abs(b) + std::abs(c)};
        case StreamKernel::multiply: return itself(b * c);
        case StreamKernel::add_update: return itself(static_cast<double>(sweeps) * b);
        case StreamKernel::triad: return {b + s * c, std::abs(b) + std::abs(s * c)};
        // Every second sweep undoes the preceding one.
        case StreamKernel::leapfrog: return {sweeps % 2 == 1 ? 2 * b + c * b : 0, 2 * std::abs(b) + std::abs(c * b)};
    }
    return {};
}

/// Largest error of all points; infinite if a value is not a number.
template <typename Real>
double error_of(StreamKernel kernel, Arrays<Real>& arrays, Index sweeps) {
    const Real* a = arrays.a();
    double greatest = 0;
#pragma omp parallel for schedule(static) reduction(max : greatest)
    for (Index i = 0; i < arrays.points(); ++i) {
        const Expected exact =
            expected(kernel, static_cast<double>(arrays.value_b(i)), static_cast<double>(arrays.value_c(i)),
                     static_cast<double>(arrays.s()), sweeps);
        const double off = std::abs(static_cast<double>(a[i]) - exact.value);
        greatest = greater(greatest, off == 0 ? 0 : off / exact.size);
    }
    return greatest;
}

template <typename Real>
double error_of_sum(double computed, const Arrays<Real>& arrays) {
    double exact = 0;
    double size = 0;
#pragma omp parallel for schedule(static) reduction(+ : exact, size)
    for (Index i = 0; i < arrays.points(); ++i) {
        const auto value = static_cast<double>(arrays.value_b(i));
        exact += value;
        size += std::abs(value);
    }
    return size == 0 ? std::abs(computed) : std::abs(computed - exact) / size;
}

/// Times a kernel in a variant, and checks every point. Collective.
template <typename Real>
Sample measure(const Settings& s, const Kernel& kernel, const Variant& variant, Arrays<Real>& arrays, Index tries,
               const MachineLimits& limits, const Ranks& ranks) {
    constexpr int value_bytes = sizeof(Real);
    const Index sweeps = kernel.in_place ? tries + 1 : 1;
    arrays.clear(kernel.in_place);
    const StreamArrays<Real> view = arrays.view();
    double computed_sum = 0;
    const Tries taken = time_tries(tries, ranks.communicator, [&] {
        if (kernel.stores) {
            sweep(kernel.kernel, variant.stores, view, arrays.s());
        } else {
            computed_sum = sum(arrays.b(), arrays.points());
        }
    });
    const double error =
        greatest(kernel.stores ? error_of(kernel.kernel, arrays, sweeps) : error_of_sum(computed_sum, arrays), ranks);
    // Both sums are computed in double precision, in different orders.
    const double allowed =
        kernel.stores ? 4.0 * std::numeric_limits<Real>::epsilon() * static_cast<double>(sweeps) : 1e-12;
    const Index points = ranks.count * s.all_points();
    const Index moved_bytes = points * kernel.moved_bytes(value_bytes, variant.stores);
    Sample sample{.variant = std::string(variant.name),
                  .phase = std::string(kernel.name),
                  .parameters = parameters_of(s).add("param1", s.scale_b).add("param2", s.scale_c),
                  .bytes = points * kernel.counted_bytes(value_bytes),
                  .flops = points * kernel.flops,
                  .points = points,
                  .error = error,
                  .failure = error <= allowed ? "" : "values are wrong",
                  .details = {{"formula", kernel.formula}, {"moved_bytes", moved_bytes}, {"error_allowed", allowed}}};
    add_tries(sample, taken);
    add_roofline(sample, moved_bytes, kernel.like, limits);
    return sample;
}

template <typename Real>
ExitCode run(const Settings& s, const Ranks& ranks) {
    const std::vector<const Kernel*> chosen = all_named<Kernel>(kernels, "kernel", s.kernel);
    require_variant<Variant>(variants, s.variant);
    Results results("memory", columns, s.json, ranks);
    Arrays<Real> arrays(s.all_points(), s.scale_b, s.scale_c);
    const MachineLimits limits = measure_limits<Real>(arrays.points(), ranks.communicator);
    results.begin(text("%s points of %s a rank, %d rank(s) of %d thread(s), %lld tries\n", product_text(s.points),
                       s.precision, ranks.count, thread_limit(), s.tries) +
                  summary(limits));
    results.say(shared_cpus_remark(ranks));
    for (const Kernel* kernel : chosen) {
        const std::string key =
            tuning_key("memory." + std::string(kernel->name), s.precision + ':' + std::to_string(arrays.points()));
        measure_variants(results, s, supported<Variant>(variants, *kernel), key, ranks.communicator,
                         [&](const Variant& variant, Index tries) {
                             return measure(s, *kernel, variant, arrays, tries, limits, ranks);
                         });
    }
    return results.end();
}

ExitCode memory_program(const Settings& settings, const Ranks& ranks) {
    return settings.single() ? run<float>(settings, ranks) : run<double>(settings, ranks);
}

}  // namespace

int main(int argc, char** argv) { return run_workload<Settings>(argc, argv, memory_program, columns); }
