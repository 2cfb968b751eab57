#include "workloads/mpibench/peers.hpp"

#include <algorithm>

namespace waywiser::mpibench {
namespace {

constexpr std::int64_t large_bytes = 8192;

/// Numbers close to OSU's numbers, but with a tenth as warm-up, and with enough iterations for percentiles of
/// bandwidths.
Counts own_counts(const Benchmark& benchmark, std::int64_t bytes) {
    const std::int64_t few = benchmark.directions > 0 ? 100 : benchmark.group == Group::all ? 1000 : 10'000;
    const std::int64_t iterations = bytes > large_bytes ? few / 10 : few;
    return {iterations, (iterations + 9) / 10};
}

/// Numbers of OSU's osu_util.h.
Counts osu_counts(const Benchmark& benchmark, std::int64_t bytes) {
    const bool large = bytes > large_bytes;
    if (benchmark.directions > 0) return large ? Counts{20, 2} : Counts{100, 10};
    if (benchmark.group == Group::all) return large ? Counts{100, 10} : Counts{1000, 100};
    return large ? Counts{1000, 10} : Counts{10'000, 100};
}

/// At most 1,000 iterations, and at most 40 MiB in all (IMB_settings.h).
std::int64_t imb_iterations(std::int64_t bytes) {
    return std::clamp<std::int64_t>((std::int64_t{40} << 20U) / std::max<std::int64_t>(bytes, 1), 1, 1000);
}

std::int64_t imb_warmup(std::int64_t iterations) {
    return iterations + std::min(iterations, std::max<std::int64_t>(10, iterations / 10));
}

Counts usual_counts(const Benchmark& benchmark, std::int64_t bytes, Method method) {
    if (method == Method::osu) return osu_counts(benchmark, bytes);
    if (method == Method::imb) return {imb_iterations(bytes), imb_warmup(imb_iterations(bytes))};
    return own_counts(benchmark, bytes);
}

}  // namespace

Counts counts_of(const Benchmark& benchmark, std::int64_t bytes, const Settings& settings) {
    Counts counts = usual_counts(benchmark, bytes, settings.method);
    if (settings.iterations > 0) {
        counts.iterations = settings.iterations;
        counts.warmup =
            settings.method == Method::imb ? imb_warmup(settings.iterations) : (settings.iterations + 9) / 10;
    }
    if (settings.warmup >= 0) counts.warmup = settings.warmup;
    return counts;
}

PeersCall::PeersCall(Method method, Call& call) : call_(call), ranks_(call.ranks) {
    if (!peers_estimator(method)) return;
    call.status = &status_;
    call.any_sender = method == Method::imb;
    if (method != Method::imb) return;
    MPI_Comm_split(ranks_, 0, call.rank, &call.ranks);
}

PeersCall::~PeersCall() {
    if (call_.ranks != ranks_) MPI_Comm_free(&call_.ranks);
    call_.ranks = ranks_;
    call_.any_sender = false;
    call_.status = MPI_STATUS_IGNORE;
}

}  // namespace waywiser::mpibench
