/// Methods of OSU's suite (version 7.4) and IMB-MPI1 (2021.11), where they differ from this program. `--method osu` and
/// `imb` measure as these suites do, so that differences between results do not come from the method.
///
/// Both suites use MPI_Wtime, pass a status argument, and take no time stamps on a rank whose times are not reported.
/// After each collective, they call a barrier outside the measured time, and they report the mean.
/// OSU's programs have one pair of page-aligned buffers for all sizes, as large as the largest size needs, and no
/// communicator but MPI_COMM_WORLD.
/// IMB allocates new buffers by MPI_Alloc_mem for each size, has its own communicator, and calls two barriers before
/// every loop. Before the warm-up, IMB runs all iterations once more to determine their number. Pairs and rings are
/// timed as a loop; their receives match any tag, and in PingPong any rank.
#pragma once

#include "workloads/mpibench/benchmarks.hpp"
#include "workloads/mpibench/settings.hpp"

#include <cstdint>
#include <memory>

namespace waywiser::mpibench {

struct Counts {
    std::int64_t iterations;
    std::int64_t warmup;
};

/// Returns the numbers of iterations from the settings, or the method's defaults.
[[nodiscard]] Counts counts_of(const Benchmark& benchmark, std::int64_t bytes, const Settings& settings);

/// Numbers of barriers before the warm-up, and between warm-up and timed iterations.
struct Barriers {
    int before;
    int between;
};

[[nodiscard]] constexpr Barriers barriers_of(Method method) {
    return method == Method::imb ? Barriers{2, 2} : Barriers{1, 0};
}

[[nodiscard]] constexpr bool keeps_buffers(Method method) { return method == Method::osu; }

[[nodiscard]] constexpr MemoryOf memory_of(Method method) {
    return method == Method::imb ? MemoryOf::library : MemoryOf::system;
}

/// During its lifetime, gives a call the arguments that the method passes to MPI.
class PeersCall {
public:
    /// Collective.
    PeersCall(Method method, Call& call);
    PeersCall(const PeersCall&) = delete;
    PeersCall& operator=(const PeersCall&) = delete;
    ~PeersCall();

private:
    Call& call_;
    MPI_Comm ranks_;  ///< the call's original communicator
    MPI_Status status_{};
};

}  // namespace waywiser::mpibench
