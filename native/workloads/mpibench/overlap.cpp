#include "workloads/mpibench/overlap.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace waywiser::mpibench {
namespace {

/// Returns the least time of a round [ns], on the slowest rank.
double round_ns(MPI_Comm ranks) {
    constexpr std::int64_t rounds = 20'000;
    double least = std::numeric_limits<double>::max();
    for (int i = 0; i < 10; ++i) {
        const std::int64_t start = monotonic_ns();
        compute(rounds);
        least = std::min(least, static_cast<double>(monotonic_ns() - start) / rounds);
    }
    double slowest = 0;
    MPI_Allreduce(&least, &slowest, 1, MPI_DOUBLE, MPI_MAX, ranks);
    return slowest;
}

}  // namespace

void compute(std::int64_t rounds) {
    // A linear congruential generator: compilers cannot compute its result without executing the loop.
    std::uint64_t state = 1;
    for (std::int64_t i = 0; i < rounds; ++i) state = state * 6364136223846793005U + 1442695040888963407U;
    volatile std::uint64_t sink = state;
    static_cast<void>(sink);
}

Overlap measure_overlap(const Benchmark& benchmark, Call& call, const Plan& plan, const GlobalClock& clock) {
    Plan unchecked = plan;
    unchecked.check = false;
    double alone_s = collect(benchmark, call, unchecked, measure(benchmark, call, unchecked, clock)).seconds;
    MPI_Bcast(&alone_s, 1, MPI_DOUBLE, 0, call.ranks);
    const double round_s = 1e-9 * round_ns(call.ranks);
    call.compute_rounds = std::llround(alone_s / round_s);
    const Result both = collect(benchmark, call, unchecked, measure(benchmark, call, unchecked, clock));
    const double work_s = round_s * static_cast<double>(call.compute_rounds);
    call.compute_rounds = 0;
    return {.all_seconds = both.seconds,
            .work_seconds = work_s,
            .alone_seconds = alone_s,
            .share = std::clamp(1 - (both.seconds - work_s) / alone_s, 0.0, 1.0)};
}

}  // namespace waywiser::mpibench
