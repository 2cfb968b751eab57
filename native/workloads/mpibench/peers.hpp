/// Methods of OSU's suite (version 7.4) and IMB-MPI1 (2021.11), where they differ from this program. `--method osu` and
/// `imb` measure in their ways, so that differences of the metrics do not come from the method.
///
/// Both: MPI_Wtime; a status argument; no time stamps on a rank whose times are not reported; collectives followed by a
/// barrier outside the time; the mean. OSU: one pair of buffers for all sizes, as large as the largest needs, each
/// page-aligned; no communicator but MPI_COMM_WORLD. IMB: buffers from MPI_Alloc_mem, anew for each size; a
/// communicator of its own; two barriers before every loop. All iterations run once more before the warm-up, from which
/// IMB learns how many to do. Pairs and rings are timed as a loop; their receives match any tag, and in PingPong any
/// rank.
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

/// Numbers of iterations by the settings, or by default.
[[nodiscard]] Counts counts_of(const Benchmark& benchmark, std::int64_t bytes, const Settings& settings);

/// Barriers before the warm-up, and between it and the timed iterations.
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

/// Gives a call what the method hands to MPI otherwise, for as long as it lives.
class PeersCall {
public:
    /// Collective.
    PeersCall(Method method, Call& call);
    PeersCall(const PeersCall&) = delete;
    PeersCall& operator=(const PeersCall&) = delete;
    ~PeersCall();

private:
    Call& call_;
    MPI_Comm ranks_;  ///< communicator of the preceding call
    MPI_Status status_{};
};

}  // namespace waywiser::mpibench
