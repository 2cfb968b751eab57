/// Process grids that grow with the number of ranks, and classes of ranks by their position in these grids.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace waywiser::extrapolate {

inline constexpr std::size_t kMostDimensions = 3;

using Place = std::array<std::int64_t, kMostDimensions>;

/// Ranks of a grid, numbered along its first dimension first; dimensions with a single rank are omitted.
struct Grid {
    Place sizes{1, 1, 1};

    [[nodiscard]] Place place(std::int64_t rank) const {
        return {rank % sizes[0], rank / sizes[0] % sizes[1], rank / (sizes[0] * sizes[1])};
    }
    [[nodiscard]] std::int64_t rank(const Place& at) const { return at[0] + sizes[0] * (at[1] + sizes[1] * at[2]); }
    [[nodiscard]] std::int64_t ranks() const { return sizes[0] * sizes[1] * sizes[2]; }
};

/// The growth of a grid from a run to the next, in equal steps. In each step the number of ranks doubles once or twice,
/// and one dimension after another doubles, in turn.
struct Growth {
    std::size_t dimensions = 1;
    Grid first;                     ///< grid of the smallest run
    std::vector<std::size_t> turn;  ///< dimensions that double, in their order
    unsigned doublings = 1;         ///< of the ranks in a step: 1, or 2 if runs have P, 4 P, 16 P, … ranks

    [[nodiscard]] Grid after(unsigned steps) const;
    [[nodiscard]] std::int64_t ranks(unsigned steps) const { return first.ranks() << (doublings * steps); }

    /// Steps from the smallest run to one of so many ranks; none if no number of steps leads there.
    [[nodiscard]] std::optional<unsigned> steps(std::int64_t ranks) const;

    /// Text of the factor by which the ranks grow in a step.
    [[nodiscard]] const char* factor() const { return doublings == 1 ? "two" : "four"; }

    /// Text such as "4 x 2 x 2", in which the first dimension varies slowest with the rank, as in MPI_Cart_create.
    [[nodiscard]] std::string text(unsigned steps) const;
};

/// All growths of grids with this number of dimensions.
/// \param ranks  number of ranks in each run, of which each has two or four times as many as the one before
[[nodiscard]] std::vector<Growth> growths(std::size_t dimensions, std::span<const std::int64_t> ranks);

/// Properties of ranks by which their calls differ.
enum class Classes : std::uint8_t { all, ends, parity, ends_and_parity, edges };

/// The class of a rank of the grid; equal numbers denote equal classes.
[[nodiscard]] std::uint32_t class_of(Classes classes, std::int64_t rank, const Grid& grid);

}  // namespace waywiser::extrapolate
