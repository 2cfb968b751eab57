#include "explain/waiting_estimate.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <string>
#include <string_view>

namespace waywiser::explain {
namespace {

using trace::CollectiveProfile;
using trace::Profile;

constexpr std::string_view kBarrier = "MPI_Barrier";

constexpr std::array<std::string_view, 8> kNeedAll{
    kBarrier,       "MPI_Allreduce", "MPI_Allgather",      "MPI_Allgatherv",
    "MPI_Alltoall", "MPI_Alltoallv", "MPI_Reduce_scatter", "MPI_Reduce_scatter_block"};

bool needs_all(std::string_view function) {
    if (function.ends_with("_c")) function.remove_suffix(2);
    return std::find(kNeedAll.begin(), kNeedAll.end(), function) != kNeedAll.end();
}

/// Members' times in one collective on one communicator.
struct Members {
    std::int64_t ranks = 0;
    std::uint64_t calls = 0;
    bool alike = true;  ///< all members made equally many calls
    std::uint64_t least_ns = 0;

    void add(const trace::Load& load) {
        alike = alike && (ranks == 0 || load.calls == calls);
        calls = load.calls;
        least_ns = ranks == 0 ? load.ns : std::min(least_ns, load.ns);
        ++ranks;
    }
};

/// Calls `visit(rank's index, its calls)` for all ranks that are considered.
template <class Visit>
void each(const Profile& profile, Visit visit) {
    for (std::size_t rank = 0; rank < profile.ranks.size(); ++rank) {
        for (const CollectiveProfile& calls : profile.ranks[rank].collectives) {
            if (calls.communicator >= profile.communicators.size()) continue;
            const trace::Communicator& communicator = profile.communicators[calls.communicator];
            if (communicator.size > 1 && !communicator.intercommunicator && needs_all(calls.function)) {
                visit(rank, calls);
            }
        }
    }
}

}  // namespace

WaitingEstimate estimate_waiting(const Profile& profile) {
    WaitingEstimate estimate{.wait_ns = std::vector<std::uint64_t>(profile.ranks.size(), 0)};
    if (profile.split_sync) return estimate;
    std::map<std::pair<std::uint64_t, std::string_view>, Members> known;
    each(profile, [&](std::size_t, const CollectiveProfile& calls) {
        known[{calls.communicator, calls.function}].add(calls.load);
    });
    each(profile, [&](std::size_t rank, const CollectiveProfile& calls) {
        const Members& members = known[{calls.communicator, calls.function}];
        if (!members.alike || members.ranks != profile.communicators[calls.communicator].size) return;
        estimate.collective_ns += calls.load.ns;
        const bool nothing_else = std::string_view(calls.function) == kBarrier;
        estimate.wait_ns[rank] += nothing_else ? calls.load.ns : calls.load.ns - members.least_ns;
    });
    return estimate;
}

}  // namespace waywiser::explain
