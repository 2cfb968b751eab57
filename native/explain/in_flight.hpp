/// Operations that ranks have posted and their partners have not matched yet.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "explain/collective_order.hpp"
#include "explain/lock_order.hpp"
#include "explain/matching.hpp"
#include "trace/records/trace.hpp"

namespace waywiser::explain {

struct InFlight {
    explicit InFlight(const trace::TraceJob& job);

    Matching messages;
    std::vector<Group> groups;
    std::vector<std::uint32_t> group_of;         ///< indexed as TraceJob::objects
    std::uint32_t world = 0;                     ///< group of MPI_Finalize
    std::map<std::uint32_t, LockOrder> unlocks;  ///< by the window's group
};

}  // namespace waywiser::explain
