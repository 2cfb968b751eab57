/// Partners and tags of calls as rules that hold for any rank and any number of ranks.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "extrapolate/grid.hpp"

namespace waywiser::extrapolate {

/// The rank, run size and loop round at which a value is evaluated.
struct Where {
    std::int64_t rank = 0;
    std::int64_t ranks = 1;
    std::int64_t round = 0;  ///< round of the innermost loop, from 0, if its count grows with the ranks
    Grid grid;
    std::int64_t per_node = 0;  ///< ranks on each node, in blocks; 0: the nodes are not such blocks
    std::int64_t group = 1;     ///< number of ranks in the communicator of a call, for the laws of its sizes
};

/// The places of ranks in the recorded runs and in larger ones.
struct Places {
    const Growth& growth;
    std::vector<std::int64_t> per_node;  ///< ranks on each node of the recorded runs, and of all larger ones

    /// \param steps  of growth since the smallest run
    [[nodiscard]] Where at(std::int64_t rank, unsigned steps, std::int64_t round = 0) const {
        return {.rank = rank,
                .ranks = growth.ranks(steps),
                .round = round,
                .grid = growth.after(steps),
                .per_node = steps < per_node.size() ? per_node[steps] : per_node.back()};
    }
};

/// The unit of a rule's amount.
enum class Unit : std::uint8_t { one, quarter_of_ranks, power_of_round, half_of_power, round, next_round };

struct Rule {
    enum class Kind : std::uint8_t {
        fixed,         ///< amount, equal for all ranks
        from_the_end,  ///< ranks - amount
        around,        ///< rank + amount, modulo ranks
        along,         ///< rank + amount; MPI_PROC_NULL if there is no such rank
        exclusive_or,  ///< rank ^ amount: hypercubes and butterflies
        grid,          ///< step along the dimensions of the grid
    };

    Kind kind = Kind::fixed;
    std::int64_t factor = 0;
    Unit unit = Unit::one;
    std::int64_t addend = 0;         ///< addend of `fixed`
    Place step{0, 0, 0};             ///< step of `grid`
    std::array<bool, 3> periodic{};  ///< for `grid`, by dimension; otherwise MPI_PROC_NULL beyond the edge

    /// \return a rank or a tag, or MPI_PROC_NULL (trace::kProcNull); none if the rule has no value
    [[nodiscard]] std::optional<std::int64_t> value(const Where& where) const;

    [[nodiscard]] bool is_by_round() const {
        return factor != 0 && unit != Unit::one && unit != Unit::quarter_of_ranks;
    }

    /// True if the value depends neither on the rank, nor on the number of ranks, nor on the round.
    [[nodiscard]] bool is_constant() const { return kind == Kind::fixed && (unit == Unit::one || factor == 0); }
};

/// A value that was seen.
struct Seen {
    Where where;
    std::int64_t value = 0;
};

/// All rules that reproduce every value, the simplest first.
/// \param dimensions  dimensions of the grid; 1: there is no grid
[[nodiscard]] std::vector<Rule> rules_for(std::span<const Seen> seen, std::size_t dimensions);

}  // namespace waywiser::extrapolate
