#include "workloads/mpibench/result.hpp"

#include "workloads/mpibench/layout.hpp"

#include <algorithm>
#include <cstddef>
#include <numeric>

namespace waywiser::mpibench {
namespace {

template <typename Element>
std::vector<Element> gather(const std::vector<Element>& own, MPI_Datatype type, std::vector<int>& counts,
                            const Call& call) {
    const auto size = static_cast<std::size_t>(call.size);
    const int count = static_cast<int>(own.size());
    counts.resize(size);
    MPI_Gather(&count, 1, MPI_INT, counts.data(), 1, MPI_INT, 0, call.ranks);
    std::vector<int> offsets(size);
    std::exclusive_scan(counts.begin(), counts.end(), offsets.begin(), 0);
    std::vector<Element> all(call.rank == 0 ? static_cast<std::size_t>(offsets.back() + counts.back()) : 0);
    MPI_Gatherv(own.data(), count, type, all.data(), counts.data(), offsets.data(), type, 0, call.ranks);
    return all;
}

std::vector<RankHistogram> gather_histograms(const Times& times, const Call& call) {
    const Histogram own(times.ns);
    std::vector<int> bins;
    const std::vector<double> bounds = gather(own.lower_bounds(), MPI_DOUBLE, bins, call);
    const std::vector<std::int64_t> counts = gather(own.counts(), MPI_INT64_T, bins, call);
    std::vector<RankHistogram> histograms;
    if (call.rank != 0) return histograms;
    std::ptrdiff_t first = 0;
    for (int rank = 0; rank < call.size; ++rank) {
        const std::ptrdiff_t last = first + bins[static_cast<std::size_t>(rank)];
        if (last > first) {
            histograms.push_back({rank,
                                  {bounds.begin() + first, bounds.begin() + last},
                                  {counts.begin() + first, counts.begin() + last}});
        }
        first = last;
    }
    return histograms;
}

/// The slowest rank's time in every iteration; ranks that do not measure count as 0.
std::vector<double> slowest(const Times& times, const Plan& plan, const Call& call) {
    std::vector<double> own = times.ns;
    own.resize(static_cast<std::size_t>(plan.iterations));
    std::vector<double> all(own.size());
    MPI_Reduce(own.data(), all.data(), static_cast<int>(own.size()), MPI_DOUBLE, MPI_MAX, 0, call.ranks);
    return all;
}

std::int64_t count_late(const Times& times, const Plan& plan, const Call& call) {
    std::vector<std::uint8_t> own = times.late;
    own.resize(static_cast<std::size_t>(plan.iterations));
    std::vector<std::uint8_t> any(own.size());
    MPI_Reduce(own.data(), any.data(), static_cast<int>(own.size()), MPI_UINT8_T, MPI_MAX, 0, call.ranks);
    return std::ranges::count(any, 1);
}

double mean(const std::vector<double>& values) {
    return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

std::vector<double> own_mean(const Times& times) {
    if (times.loop_mean_ns > 0) return {times.loop_mean_ns};
    if (times.ns.empty()) return {};
    return {mean(times.ns)};
}

}  // namespace

double bandwidth_Bps(const Result& result) {
    return static_cast<double>(result.bytes_moved.value_or(0)) / result.seconds;
}

double messages_per_second(const Result& result) { return static_cast<double>(result.messages) / result.seconds; }

Result collect(const Benchmark& benchmark, const Call& call, const Plan& plan, const Times& times) {
    Result result;
    result.bytes = call.bytes;
    result.plan = plan;
    std::vector<int> watches;
    result.rank_means_ns = gather(own_mean(times), MPI_DOUBLE, watches, call);
    result.histograms = gather_histograms(times, call);
    std::vector<double> by_iteration =
        benchmark.loop != nullptr ? gather(times.ns, MPI_DOUBLE, watches, call) : slowest(times, plan, call);
    result.late = count_late(times, plan, call);
    int held = times.held ? 1 : 0;
    MPI_Allreduce(MPI_IN_PLACE, &held, 1, MPI_INT, MPI_MIN, call.ranks);
    if (plan.check) result.verified = held != 0;
    if (call.rank != 0) return result;

    if (!result.histograms.empty()) result.ns = describe(by_iteration);
    const bool median = result.ns && !peers_estimator(plan.method);
    result.seconds = 1e-9 * (median ? result.ns->median : mean(result.rank_means_ns));
    if (benchmark.directions > 0) {
        const auto pairs = static_cast<std::int64_t>(result.rank_means_ns.size());
        result.messages = pairs * benchmark.directions * call.window;
        result.bytes_moved = result.messages * payload_bytes(call);
    }
    return result;
}

}  // namespace waywiser::mpibench
