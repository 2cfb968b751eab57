#include "workloads/common/roofline.hpp"

#include "workloads/common/array.hpp"
#include "workloads/common/peak.hpp"
#include "workloads/common/streams.hpp"
#include "workloads/common/text.hpp"
#include "workloads/common/tries.hpp"

#include <algorithm>
#include <array>
#include <string_view>

namespace waywiser {
namespace {

constexpr std::int64_t tries = 5;
constexpr std::int64_t most_bytes = std::int64_t{128} << 20;

struct Bandwidth {
    std::string_view name;
    double MachineLimits::* value;
};
/// Bandwidths, indexed by MemoryBound.
constexpr std::array bandwidths{
    Bandwidth{"read", &MachineLimits::read_Bps}, Bandwidth{"copy", &MachineLimits::copy_Bps},
    Bandwidth{"triad", &MachineLimits::triad_Bps}, Bandwidth{"leapfrog", &MachineLimits::leapfrog_Bps}};

const Bandwidth& bandwidth_of(MemoryBound bound) { return bandwidths[static_cast<std::size_t>(bound)]; }

double total(double of_rank, MPI_Comm communicator) {
    MPI_Allreduce(MPI_IN_PLACE, &of_rank, 1, MPI_DOUBLE, MPI_SUM, communicator);
    return of_rank;
}

/// Bandwidth of the faster kind of stores [B/s].
template <typename Real>
double stream_Bps(StreamKernel kernel, const StreamArrays<Real>& arrays, double points, MPI_Comm communicator) {
    double best = 0;
    for (const Stores stores : {Stores::plain, Stores::nontemporal}) {
        const Tries taken = time_tries(tries, communicator, [&] { sweep(kernel, stores, arrays, Real{0.5}); });
        const double bytes = points * stream_of(kernel).moved_bytes(sizeof(Real), stores);
        best = std::max(best, bytes / taken.least_s());
    }
    return best;
}

}  // namespace

template <typename Real>
MachineLimits measure_limits(std::int64_t points, MPI_Comm communicator) {
    constexpr auto most_points = most_bytes / static_cast<std::int64_t>(sizeof(Real));
    const std::int64_t n = std::clamp<std::int64_t>(points, 1, most_points);
    const auto size = static_cast<std::size_t>(n);
    Array<Real> a(size);
    Array<Real> b(size);
    Array<Real> c(size);
    for (Array<Real>* array : {&a, &b, &c}) {  // This is the first touch.
        sweep(StreamKernel::fill, Stores::plain, {array->data(), array->data(), array->data(), n}, Real{0.25});
    }
    const StreamArrays<Real> arrays{a.data(), b.data(), c.data(), n};
    const double all_points = total(static_cast<double>(n), communicator);

    MachineLimits limits;
    double kept = 0;  // The sum must be used, so that the compiler keeps the reads.
    const Tries reading = time_tries(tries, communicator, [&] { kept += sum(b.data(), n); });
    limits.read_Bps = kept > 0 ? all_points * sizeof(Real) / reading.least_s() : 0;
    limits.copy_Bps = stream_Bps(StreamKernel::copy, arrays, all_points, communicator);
    limits.triad_Bps = stream_Bps(StreamKernel::triad, arrays, all_points, communicator);
    limits.leapfrog_Bps = stream_Bps(StreamKernel::leapfrog, arrays, all_points, communicator);

    double flops = 0;
    const Tries multiply_adds = time_tries(tries, communicator, [&] { flops = multiply_add_flops<Real>(); });
    limits.flops_per_s = total(flops, communicator) / multiply_adds.least_s();
    limits.instructions = multiply_add_instructions();
    return limits;
}

template MachineLimits measure_limits<float>(std::int64_t points, MPI_Comm communicator);
template MachineLimits measure_limits<double>(std::int64_t points, MPI_Comm communicator);

double bandwidth_Bps(const MachineLimits& limits, MemoryBound bound) { return limits.*bandwidth_of(bound).value; }

double bound_points_per_s(const Roofline& roofline, const MachineLimits& limits) {
    const double by_memory = bandwidth_Bps(limits, roofline.like) / roofline.bytes_per_point;
    if (roofline.flops_per_point == 0) return by_memory;
    return std::min(by_memory, limits.flops_per_s / roofline.flops_per_point);
}

JsonObject to_json(const Roofline& roofline, const MachineLimits& limits, double points_per_s) {
    const double bound = bound_points_per_s(roofline, limits);
    JsonObject object{{"bytes_per_point", roofline.bytes_per_point},
                      {"flops_per_point", roofline.flops_per_point},
                      {"like", bandwidth_of(roofline.like).name},
                      {"points_per_s", points_per_s},
                      {"bound_points_per_s", bound},
                      {"fraction", points_per_s / bound}};
    for (const Bandwidth& bandwidth : bandwidths) {
        object.add(std::string(bandwidth.name) + "_Bps", limits.*bandwidth.value);
    }
    return object.add("flops_per_s", limits.flops_per_s).add("instructions", limits.instructions);
}

void add_roofline(Sample& sample, std::int64_t moved_bytes, MemoryBound like, const MachineLimits& limits) {
    const auto points = static_cast<double>(*sample.points);
    const Roofline roofline{.bytes_per_point = static_cast<double>(moved_bytes) / points,
                            .flops_per_point = static_cast<double>(sample.flops.value_or(0)) / points,
                            .like = like};
    const double rate = points / sample.seconds;
    sample.details.add("roofline", to_json(roofline, limits, rate))
        .show("of_roof", rate / bound_points_per_s(roofline, limits));
}

std::string summary(const MachineLimits& limits) {
    return text("limits      read %.1f, copy %.1f, triad %.1f, leapfrog %.1f GB/s with write-allocates; ",
                1e-9 * limits.read_Bps, 1e-9 * limits.copy_Bps, 1e-9 * limits.triad_Bps, 1e-9 * limits.leapfrog_Bps) +
           text("%.1f GFLOP/s of multiply-adds (", 1e-9 * limits.flops_per_s) + limits.instructions + ")\n";
}

}  // namespace waywiser
