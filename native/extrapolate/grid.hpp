/// Process grids that grow with the number of ranks, and classes of ranks by their position in these grids.
#pragma once

#include <array>
#include <cstdint>
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
};

/// The growth of a grid while the number of ranks doubles: one dimension after another doubles, in turn.
struct Growth {
    std::size_t dimensions = 1;
    Grid first;                     ///< grid of the smallest run
    std::vector<std::size_t> turn;  ///< dimensions that double, in their order

    [[nodiscard]] Grid after(unsigned doublings) const;

    /// text such as "4 x 2 x 2", in which the first dimension varies slowest with the rank, as in MPI_Cart_create
    [[nodiscard]] std::string text(unsigned doublings) const;
};

/// All growths of grids with this number of dimensions.
/// \param doublings  number of doublings from the smallest run to the largest
[[nodiscard]] std::vector<Growth> growths(std::size_t dimensions, std::int64_t ranks, unsigned doublings);

/// Properties of ranks by which their calls differ.
enum class Classes : std::uint8_t { all, ends, parity, ends_and_parity, edges };

/// The class of a rank of the grid; equal numbers denote equal classes.
[[nodiscard]] std::uint32_t class_of(Classes classes, std::int64_t rank, const Grid& grid);

}  // namespace waywiser::extrapolate
