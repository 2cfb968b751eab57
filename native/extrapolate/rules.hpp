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
    std::int64_t round = 0;  ///< of the innermost loop, from 0, where its count grows with the ranks
    Grid grid;
};

/// A multiple of one of these.
enum class Unit : std::uint8_t { one, quarter_of_ranks, power_of_round, half_of_power, round, next_round };

struct Rule {
    enum class Kind : std::uint8_t {
        fixed,         ///< amount, the same for all
        from_the_end,  ///< ranks - amount
        around,        ///< rank + amount, modulo ranks
        along,         ///< rank + amount; MPI_PROC_NULL where there is no such rank
        exclusive_or,  ///< rank ^ amount: hypercubes and butterflies
        grid,          ///< step along the dimensions of the grid
    };

    Kind kind = Kind::fixed;
    std::int64_t factor = 0;
    Unit unit = Unit::one;
    std::int64_t addend = 0;         ///< of `fixed`
    Place step{0, 0, 0};             ///< of `grid`
    std::array<bool, 3> periodic{};  ///< of `grid`, by dimension; else MPI_PROC_NULL beyond the edge

    /// \return a rank or a tag, or MPI_PROC_NULL (trace::kProcNull); nothing where the rule has no value
    [[nodiscard]] std::optional<std::int64_t> value(const Where& where) const;

    /// Independent of the rank, the number of ranks and the round.
    [[nodiscard]] bool is_constant() const { return kind == Kind::fixed && (unit == Unit::one || factor == 0); }
};

/// A value that was seen.
struct Seen {
    Where where;
    std::int64_t value = 0;
};

/// All rules that say every value, the simplest first.
/// \param dimensions  of the grid; 1: it is none
[[nodiscard]] std::vector<Rule> rules_for(std::span<const Seen> seen, std::size_t dimensions);

}  // namespace waywiser::extrapolate
