/// Waiting in collectives, estimated from a profile alone.
///
/// In a collective that needs all ranks, the last rank to arrive does not wait. Assume that moving the data takes
/// equally long on all ranks of a communicator. If the rank with the least time spends w there, a rank that spends t
/// waits at least t - w. The estimate misses waits for ranks that are late in turn; a trace gives the exact times. All
/// time in MPI_Barrier, which moves no data, is waiting.
#pragma once

#include <cstdint>
#include <vector>

#include "trace/records/profile.hpp"

namespace waywiser::explain {

struct WaitingEstimate {
    std::vector<std::uint64_t> wait_ns;  ///< waiting of each rank of Profile::ranks
    std::uint64_t collective_ns = 0;     ///< time of all ranks in the considered collectives
};

/// Estimates from blocking collectives whose result needs all ranks, on communicators whose ranks all left a profile
/// with equally many calls. With --split-sync nothing is estimated, because the barriers measure the waiting.
[[nodiscard]] WaitingEstimate estimate_waiting(const trace::Profile& profile);

}  // namespace waywiser::explain
