/// Schedules of collective operations: who sends what to whom, round by round.
///
/// A collective works on blocks of data, numbered from 0. What a block is depends on the collective:
///  - broadcast, reduce, allreduce, scan: a part of the vector of `bytes`;
///  - gather, allgather: what the rank of that number contributes;
///  - scatter, reduce-scatter: what the rank of that number is to get;
///  - alltoall: block i p + j is what rank i sends to rank j.
/// Ranks are those of the communicator.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace waywiser::collectives {

enum class Collective {
    barrier,
    bcast,
    gather,
    scatter,
    allgather,
    alltoall,
    reduce,
    allreduce,
    reduce_scatter,
    scan,  ///< and exscan, whose result is what a rank receives
};

/// One call of a collective by all `ranks` of a communicator.
struct Operation {
    int ranks = 1;
    int root = 0;
    std::uint64_t bytes = 0;  ///< of the vector, or of each rank's block
    /// of the v-variants: bytes of each rank's block
    std::span<const std::uint64_t> shares = {};  // NOLINT(readability-redundant-member-init): g++ warns without
};

/// Consecutive blocks; they wrap around at the number of blocks.
struct Blocks {
    int first = 0;
    int count = 0;
};

inline constexpr int kNobody = -1;

/// What one rank does in one round: it may send, and it may receive at the same time.
struct Step {
    int round = 0;
    int to = kNobody;
    Blocks sent{};
    int from = kNobody;
    Blocks received{};
    bool combines = false;  ///< what is received is reduced into what is there; else it takes its place
};

using Schedule = std::vector<Step>;

/// What a schedule costs all ranks together; for equal blocks.
struct Cost {
    int rounds = 0;
    std::uint64_t messages = 0;
    std::uint64_t bytes = 0;

    [[nodiscard]] bool operator==(const Cost&) const = default;
};

struct Algorithm {
    std::string_view name;
    Collective collective;
    std::string_view source;
    bool (*supports)(const Operation&);
    int (*blocks)(const Operation&);                   ///< number of blocks
    Schedule (*schedule)(const Operation&, int rank);  ///< the steps of one rank, by round
    Cost (*cost)(const Operation&);
};

/// All algorithms, those of one collective together; the first of each has no limits but the ranks.
[[nodiscard]] std::span<const Algorithm> algorithms();

/// \throws InvalidInput  if there is none of that name for that collective
[[nodiscard]] const Algorithm& algorithm(Collective collective, std::string_view name);

/// Bytes of some blocks of an operation.
[[nodiscard]] std::uint64_t bytes_of(const Algorithm& algorithm, const Operation& operation, Blocks blocks);

}  // namespace waywiser::collectives
