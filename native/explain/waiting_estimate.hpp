/// Waiting in collectives, estimated from a profile alone.
///
/// In a collective that needs all ranks, the one that comes last waits for nobody. If each call took the
/// data equally long on all ranks of a communicator, a rank that spends t there where the one with the
/// least spends w waits at least t - w. Ranks that are late in turn hide from it: a trace tells exactly.
/// Time in MPI_Barrier, which moves no data, is waiting altogether.
#pragma once

#include <cstdint>
#include <vector>

#include "trace/profile.hpp"

namespace waywiser::explain {

struct WaitingEstimate {
    std::vector<std::uint64_t> wait_ns;  ///< of each rank of Profile::ranks
    std::uint64_t collective_ns = 0;     ///< all ranks' time in the collectives that it looks at
};

/// Looks at blocking collectives whose result needs all ranks, on communicators all of whose ranks left
/// a profile with as many calls each. With --split-sync nothing is estimated: the barriers have it.
[[nodiscard]] WaitingEstimate estimate_waiting(const trace::Profile& profile);

}  // namespace waywiser::explain
