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
    std::vector<std::uint64_t> wait_ns;  ///< of each rank of Profile::ranks
    std::uint64_t collective_ns = 0;     ///< all ranks' time in the collectives that it looks at
};

/// Looks at blocking collectives whose result needs all ranks, on communicators all of whose ranks left
/// a profile with as many calls each. With --split-sync nothing is estimated: the barriers have it.
[[nodiscard]] WaitingEstimate estimate_waiting(const trace::Profile& profile);

}  // namespace waywiser::explain
