/// Schedules of collective operations: the messages of each round.
///
/// A collective works on blocks of data, numbered from 0. The meaning of a block depends on the collective:
///  - broadcast, reduce, allreduce, scan: a part of the vector of `bytes`, which is cut evenly between elements;
///  - gather, allgather: the contribution of the rank with that number;
///  - scatter, reduce-scatter: the data for the rank with that number;
///  - alltoall: block d is the data of a rank for the rank d after it, and afterwards the data from the
///    rank d before it.
/// Ranks are ranks of the communicator. If switches reduce, they have the numbers after the last rank and have
/// schedules like ranks.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "base/enumerators.hpp"

namespace waywiser::collectives {

class Nodes;
struct Stage;

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
    scan,  ///< scan and exscan, whose result is the received data
};
constexpr Collective last_of(Collective /*any*/) { return Collective::scan; }

/// One call of a collective by all `ranks` of a communicator.
struct Operation {
    int ranks = 1;
    int root = 0;
    std::uint64_t bytes = 0;  ///< size of the vector, or of each rank's block
    /// for v-variants: bytes of each block
    std::span<const std::uint64_t> shares = {};  // NOLINT(readability-redundant-member-init): g++ warns without
    std::uint64_t segment_bytes = 0;             ///< largest size of a pipelined message; 0: no limit
    int fan_out = 0;  ///< fan-out of a tree, radix, or number of concurrent messages; 0: the algorithm's default
    std::uint64_t element_bytes = 1;
    bool commutative = true;
    const Nodes* nodes = nullptr;  ///< nodes of the ranks; none: unknown, or all ranks share one node
};

/// Blocks, which wrap around at the number of blocks: consecutive blocks, or runs of consecutive blocks that start
/// `period` apart.
struct Blocks {
    int first = 0;
    int count = 0;
    int run = 0;  ///< 0: all blocks are one run
    int period = 0;

    [[nodiscard]] int at(int i) const { return run == 0 ? first + i : first + i / run * period + i % run; }
    [[nodiscard]] bool operator==(const Blocks&) const = default;
};

[[nodiscard]] constexpr Blocks one_block(int i) { return {.first = i, .count = 1}; }

inline constexpr int kNobody = -1;

/// A rank's part in one round: at most one send and one receive, concurrently. Steps of the same round start together,
/// in their order, with the data from before the round, and all end before the next.
struct Step {
    int round = 0;
    int to = kNobody;
    Blocks sent{};
    int from = kNobody;
    Blocks received{};
    bool combines = false;  ///< true: received data are reduced into the local data; false: they replace these

    [[nodiscard]] bool operator==(const Step&) const = default;
};

using Schedule = std::vector<Step>;

/// The total cost of a schedule for all ranks, if blocks are equal.
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
    /// The steps of rank r are the steps of rank 0 with r added to every peer, and with as many blocks.
    bool rotates = false;
    int (*switches)(const Operation&) = nullptr;  ///< number of switches that take part; nullptr: none
    /// Stages of an algorithm that is composed of others and has no blocks, schedule and cost of its own; else nullptr.
    std::vector<Stage> (*stages)(const Operation&) = nullptr;
};

/// All algorithms, grouped by collective; the first of each collective has no limits except on ranks.
[[nodiscard]] std::span<const Algorithm> algorithms();

/// \throws InvalidInput  if the collective has no algorithm of that name; the message lists the names
[[nodiscard]] const Algorithm& algorithm(Collective collective, std::string_view name);

/// \throws InvalidInput  if there is no collective of that name; the message lists the names
[[nodiscard]] Collective collective_named(std::string_view name);

/// Number of ranks and switches that have a schedule.
[[nodiscard]] int participants(const Algorithm& algorithm, const Operation& operation);

/// Bytes of some blocks of an operation; in constant time unless there are shares.
[[nodiscard]] std::uint64_t bytes_of(const Algorithm& algorithm, const Operation& operation, Blocks blocks);

}  // namespace waywiser::collectives
