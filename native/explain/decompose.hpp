/// Collectives as traffic between pairs of ranks: the second communication matrix.
///
/// A profile has the bytes that each rank put into its collectives. Their receivers follow from the operation, whatever
/// algorithm the library runs; this is the logical pattern. Blocking, nonblocking, persistent and large-count calls
/// have the same pattern:
///
/// | call                                            | a rank sends                                    |
/// |-------------------------------------------------|-------------------------------------------------|
/// | Bcast                                           | the root: all its bytes to every other          |
/// | Gather, Gatherv, Reduce                         | its bytes to the root                           |
/// | Scatter                                         | the root: an equal part to every other          |
/// | Allgather, Allgatherv                           | all its bytes to every other                    |
/// | Alltoall, Reduce_scatter_block                  | an equal part to every other                    |
/// | Reduce_scatter                                  | to every other the part that it is to get       |
/// | Allreduce                                       | as in recursive doubling (room collectives)     |
/// | Scan, Exscan                                    | its bytes to the next rank (a chain)            |
/// | Barrier                                         | empty messages, as in dissemination             |
/// | Alltoallv, Alltoallw, Scatterv, neighbourhood   | what its arguments name: recorded exactly       |
///
/// If every rank gets its result from all ranks (Allreduce, Barrier), the operation names no pairs. The pattern is then
/// that of the schedule with the fewest rounds. Data that a rank keeps is not traffic. The remainder of an uneven
/// division goes to the first receiver, so that sums are exact. Between two groups (intercommunicators) a rank serves
/// the other group's ranks.
///
/// A record for several roots (root -2) has the bytes and no root. Bytes that the ranks send to a root are spread
/// equally over the others. If a root sends, every rank counts as the root of a share of the calls: its sent bytes over
/// its sent and received bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "trace/records/profile.hpp"

namespace waywiser::explain {

/// Traffic between pairs of world ranks, by source and destination.
struct Pairs {
    std::vector<std::int64_t> source;
    std::vector<std::int64_t> destination;
    std::vector<std::uint64_t> bytes;
    std::vector<std::uint64_t> messages;
    bool complete = true;              ///< false: the limit was exceeded and only the first sources are included
    std::vector<std::string> remarks;  ///< one sentence for each omission or assumption
};

/// Traffic between groups of consecutive world ranks: rank r belongs to group r blocks / ranks.
struct BlockMatrix {
    std::int64_t blocks = 0;
    std::vector<std::uint64_t> bytes;     ///< blocks x blocks, one row per source
    std::vector<std::uint64_t> messages;  ///< blocks x blocks, one row per source
    std::vector<std::string> remarks;
};

inline constexpr std::size_t kMostPairs = 20'000'000;
inline constexpr std::int64_t kMostBlocks = 512;

/// Computes the traffic between pairs. Memory and time are bounded by the ranks and by `most_pairs`.
[[nodiscard]] Pairs decompose(const trace::Profile& profile, std::size_t most_pairs = kMostPairs);

/// The traffic of decompose() in blocks, without a list of pairs: for any number of ranks.
/// \param blocks  1 to kMostBlocks; at most the number of ranks is used
/// \throws InvalidInput  if `blocks` is out of range
[[nodiscard]] BlockMatrix decompose_in_blocks(const trace::Profile& profile, std::int64_t blocks);

}  // namespace waywiser::explain
