/// Schedules of collective operations: who sends what to whom, round by round.
///
/// A collective works on blocks of data, numbered from 0. What a block is depends on the collective:
///  - broadcast, reduce, allreduce, scan: a part of the vector of `bytes`, which is cut evenly between elements;
///  - gather, allgather: what the rank of that number contributes;
///  - scatter, reduce-scatter: what the rank of that number is to get;
///  - alltoall: block d is what a rank has for the rank d after it, and afterwards what it got from the
///    rank d before it.
/// Ranks are ranks of the communicator. If switches reduce, they are numbered on from the last rank and have a schedule
/// like ranks.
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
    scan,  ///< and exscan, whose result is what a rank receives
};
constexpr Collective last_of(Collective /*any*/) { return Collective::scan; }

/// One call of a collective by all `ranks` of a communicator.
struct Operation {
    int ranks = 1;
    int root = 0;
    std::uint64_t bytes = 0;  ///< of the vector, or of each rank's block
    /// of the v-variants: bytes of each block
    std::span<const std::uint64_t> shares = {};  // NOLINT(readability-redundant-member-init): g++ warns without
    std::uint64_t segment_bytes = 0;             ///< at most so many in a message that is pipelined; 0: no limit
    int fan_out = 0;                             ///< of a tree, radix, or messages at once; 0: the algorithm's own
    std::uint64_t element_bytes = 1;
    bool commutative = true;
    const Nodes* nodes = nullptr;  ///< of its ranks; none: not known, or all on one
};

/// Blocks, that wrap around at the number of blocks: consecutive ones, or runs of consecutive ones whose
/// beginnings lie `period` apart.
struct Blocks {
    int first = 0;
    int count = 0;
    int run = 0;  ///< 0: all of them are one run
    int period = 0;

    [[nodiscard]] int at(int i) const { return run == 0 ? first + i : first + i / run * period + i % run; }
    [[nodiscard]] bool operator==(const Blocks&) const = default;
};

[[nodiscard]] constexpr Blocks one_block(int i) { return {.first = i, .count = 1}; }

inline constexpr int kNobody = -1;

/// A rank's part in one round: at most one send and one receive, concurrently. Steps of the same round begin together,
/// in their order, with the data from before the round, and all end before the next.
struct Step {
    int round = 0;
    int to = kNobody;
    Blocks sent{};
    int from = kNobody;
    Blocks received{};
    bool combines = false;  ///< what is received is reduced into what is there; else it takes its place

    [[nodiscard]] bool operator==(const Step&) const = default;
};

using Schedule = std::vector<Step>;

/// The total cost of a schedule for all ranks; for equal blocks.
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
    int (*switches)(const Operation&) = nullptr;  ///< how many take part; nullptr: none
    /// Stages of an algorithm that is composed of others and has no blocks, schedule and cost of its own; else nullptr.
    std::vector<Stage> (*stages)(const Operation&) = nullptr;
};

/// All algorithms, grouped by collective; the first of each collective has no limits except on ranks.
[[nodiscard]] std::span<const Algorithm> algorithms();

/// \throws InvalidInput  if there is none of that name for that collective; says which there are
[[nodiscard]] const Algorithm& algorithm(Collective collective, std::string_view name);

/// \throws InvalidInput  if there is none of that name; says which there are
[[nodiscard]] Collective collective_named(std::string_view name);

/// Number of ranks and switches that have a schedule.
[[nodiscard]] int participants(const Algorithm& algorithm, const Operation& operation);

/// Bytes of some blocks of an operation; constant time, but for shares.
[[nodiscard]] std::uint64_t bytes_of(const Algorithm& algorithm, const Operation& operation, Blocks blocks);

}  // namespace waywiser::collectives
