/// A rank's calls for a simulator: local time, messages, and collectives as messages.
///
/// Time between calls is local time. So is time in calls that do not wait (MPI_Comm_rank, MPI_Type_commit, …), and in
/// calls that no replay format can express (one-sided communication, files). The simulator determines the time in all
/// other calls.
#pragma once

#include <cstdint>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

#include "collectives/schedule.hpp"
#include "mpi/matching.hpp"

namespace waywiser::exchange {

[[nodiscard]] bool is_local(trace::Action action);

/// Local time since the previous take().
class LocalTime {
public:
    void add(const mpi::RankCall& call);
    [[nodiscard]] std::uint64_t take() { return std::exchange(ns_, 0); }

private:
    std::uint64_t ns_ = 0;
    std::optional<std::uint64_t> last_end_ns_;
};

/// One tag for each communicator and tag, because formats for replay have only one communicator: the program's own tag
/// unless another communicator has taken it. Ranks get equal tags if one object serves all of them.
class Tags {
public:
    [[nodiscard]] std::uint32_t tag(std::uint64_t context, std::int32_t tag);

private:
    std::unordered_map<std::uint64_t, std::unordered_map<std::int32_t, std::uint32_t>> tags_;
    std::unordered_map<std::uint32_t, bool> taken_;
    std::uint32_t next_ = std::uint32_t{1} << 20U;
};

/// The tag of a collective's own messages, different for each of its calls.
[[nodiscard]] std::uint32_t collective_tag(const mpi::MessageKey& key);

/// The pattern of messages in a collective whose arguments have a count for each rank.
enum class Direct : std::uint8_t { to_root, from_root, same_to_all, own_to_each };

/// A collective as described by its operation and its arguments on one rank.
struct CollectiveCall {
    std::optional<collectives::Collective> schedule;  ///< none: ranks send directly
    Direct direct = Direct::to_root;                  ///< pattern of direct messages
    collectives::Operation operation = {};
    int rank = 0;              ///< the rank's own number in the communicator
    std::uint32_t object = 0;  ///< index into TraceJob::objects
    const mpi::Operation* call = nullptr;
};

/// \return none if the trace does not determine the collective: over intercommunicators, communicators with unknown
///         members, and neighbourhoods
[[nodiscard]] std::optional<CollectiveCall> collective_call(const trace::TraceJob& job, const mpi::Groups& groups,
                                                            const trace::TraceRank& rank,
                                                            const mpi::Operation& operation);

/// A rank's sends and receives in one round of a collective: world ranks and bytes.
struct Round {
    std::vector<std::pair<std::int64_t, std::uint64_t>> sends;
    std::vector<std::pair<std::int64_t, std::uint64_t>> receives;
};

/// The rounds of the first algorithm in native/collectives that supports the call. A call with a count for each rank
/// has one round of direct messages, whose received size is an upper bound.
[[nodiscard]] std::vector<Round> rounds_of(const CollectiveCall& call, const mpi::Groups& groups);

}  // namespace waywiser::exchange
