/// Peak performance of memory and cores, measured in the run that is compared with these limits.
///
/// Source: S. Williams, A. Waterman, D. Patterson, "Roofline: an insightful visual performance model for multicore
/// architectures", Communications of the ACM 52(4), 2009, pp. 65-76, doi:10.1145/1498765.1498785.
#pragma once

#include "workloads/common/sample.hpp"

#include <mpi.h>

#include <cstdint>
#include <string>

namespace waywiser {

/// Limits of all ranks together, each with all its threads. Bandwidths are the best of some tries, in bytes to and from
/// memory. Bytes include write-allocates, and nontemporal stores are used if they are faster.
struct MachineLimits {
    double read_Bps = 0;
    double copy_Bps = 0;       ///< kernel a = b
    double triad_Bps = 0;      ///< kernel a = b + s c
    double leapfrog_Bps = 0;   ///< kernel a = 2 b - a + c b
    double flops_per_s = 0;    ///< multiply-adds without dependences
    std::string instructions;  ///< instruction set of the multiply-adds: "AVX-512", "AVX2" or "baseline"
};

/// Measures the limits on all threads of all ranks, within a second or two. Collective. Real is float or double.
/// \param points  size of each of three arrays on this rank, equal to the kernel's so that both exceed the caches
///     alike. Arrays are limited to 128 MiB.
template <typename Real>
[[nodiscard]] MachineLimits measure_limits(std::int64_t points, MPI_Comm communicator);

/// The bandwidth that resembles a kernel's accesses to memory.
enum class MemoryBound { read, copy, triad, leapfrog };

/// A kernel's position in the roofline model.
struct Roofline {
    double bytes_per_point;  ///< least traffic to and from memory, including write-allocates
    double flops_per_point;
    MemoryBound like = MemoryBound::triad;
};

[[nodiscard]] double bandwidth_Bps(const MachineLimits& limits, MemoryBound bound);

/// Upper bound of points per second for a kernel with these bytes and flops, unless the kernel keeps more data in
/// cache.
[[nodiscard]] double bound_points_per_s(const Roofline& roofline, const MachineLimits& limits);

/// `details.roofline` of a sample; the report draws it.
[[nodiscard]] JsonObject to_json(const Roofline& roofline, const MachineLimits& limits, double points_per_s);

/// Adds `details.roofline` to a timed sample, and for columns `of_roofline`, its share of the bound.
/// \param moved_bytes  least traffic of all points to and from memory
void add_roofline(Sample& sample, std::int64_t moved_bytes, MemoryBound like, const MachineLimits& limits);

/// Two lines for a summary.
[[nodiscard]] std::string summary(const MachineLimits& limits);

}  // namespace waywiser
