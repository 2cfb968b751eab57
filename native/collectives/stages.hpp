/// Collectives composed of algorithms, each on all ranks or on the ranks of one level.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "collectives/nodes.hpp"
#include "collectives/schedule.hpp"

namespace waywiser::collectives {

/// The participants of a stage, as groups that each run its operation.
enum class Level {
    everyone,
    within,   ///< the ranks of each node that has as many ranks as the operation
    between,  ///< on each node, the rank at the stage's place
};

/// An algorithm with its operation, including segments and fan-out.
struct Stage {
    const Algorithm* algorithm = nullptr;
    Operation operation{};  ///< operation of each group, whose ranks are numbered anew
    bool exact = true;      ///< false: the library's own algorithm is missing here, and this one replaces it
    int begin = 0;          ///< its first round
    Level level = Level::everyone;
    const Nodes* nodes = nullptr;
    int place = 0;
};

using Stages = std::vector<Stage>;

/// The round after the last of all stages.
[[nodiscard]] int end_of(std::span<const Stage> stages);

/// \param more  stages that start after all of these
void append(Stages& stages, const Stages& more);

/// The algorithm of that name, or else the first one that supports the operation.
[[nodiscard]] Stage stage(Collective collective, std::string_view name, const Operation& op);

/// The stages that compose the algorithm; for most, the algorithm alone.
[[nodiscard]] Stages stages_by(const Algorithm& algorithm, const Operation& op);

/// The total cost for all ranks.
[[nodiscard]] Cost cost_of(std::span<const Stage> stages);

/// The members of the rank's group in a stage, indexed by their numbers.
struct GroupOfRank {
    /// empty: all ranks with their own numbers
    std::span<const int> ranks = {};  // NOLINT(readability-redundant-member-init): g++ warns without
    int number = kNobody;             ///< the rank's own number; kNobody: the rank does not take part
};

[[nodiscard]] GroupOfRank group_of(const Stage& stage, int rank);

/// A step with sizes in bytes, in any of the stages.
struct Move {
    int round = 0;
    int to = kNobody;
    std::uint64_t sent_bytes = 0;
    int from = kNobody;
    std::uint64_t received_bytes = 0;
    bool combines = false;
};

/// One rank's moves in all stages, ordered by rounds.
[[nodiscard]] std::vector<Move> moves(std::span<const Stage> stages, int rank);

}  // namespace waywiser::collectives
