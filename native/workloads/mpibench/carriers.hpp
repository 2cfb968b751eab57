/// Transports that carry the data of MPI's calls, as observed from outside the library.
#pragma once

#include "workloads/mpibench/call.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace waywiser::mpibench {

/// Traffic of one process so far, or of all ranks in some iterations.
struct Traffic {
    std::int64_t tcp_inside_bytes = 0;   ///< bytes received on TCP connections from processes of the same host
    std::int64_t tcp_between_bytes = 0;  ///< bytes received from other hosts
    std::int64_t single_copy_bytes = 0;  ///< bytes copied by the kernel between processes
    std::uint64_t devices = 0;           ///< devices that are mapped into memory, one bit each
};

/// Returns the traffic of this process so far.
[[nodiscard]] Traffic traffic();

/// Returns the traffic of all ranks since `before`, complete on rank 0. Collective.
[[nodiscard]] Traffic traffic_since(const Traffic& before, MPI_Comm ranks);

/// Returns readable names: "shared memory + CMA", "TCP", "shared memory inside, TCP between hosts"; empty if no rank
/// communicates with another.
/// \param iterations  number of iterations with this traffic, each of which sends at least a header
[[nodiscard]] std::string name_carriers(const Traffic& seen, const Call& call, std::int64_t iterations);

/// The carriers of one size.
struct Carried {
    std::int64_t bytes;
    std::string by;
};

/// Returns readable text on sizes in the order of measurement: "shared memory, shared memory + CMA from 8192 B".
[[nodiscard]] std::string carried_text(const std::vector<Carried>& sizes);

}  // namespace waywiser::mpibench
