/// Counts, sizes and times as functions of the number of ranks.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "extrapolate/rules.hpp"

namespace waywiser::extrapolate {

/// Number of repetitions of a loop.
struct Count {
    std::int64_t fixed = 1;
    std::int64_t per_step = 0;  ///< additional repetitions for each step of growth since the smallest run
    std::int64_t per_rank = 0;
    std::int64_t per_root = 0;  ///< for each rank along a side of a square grid

    [[nodiscard]] std::int64_t at(std::int64_t ranks, unsigned steps) const {
        return fixed + per_step * static_cast<std::int64_t>(steps) + per_rank * ranks +
               (per_root == 0 ? 0 : per_root * root_of(ranks));
    }
    [[nodiscard]] bool grows() const { return per_step != 0 || per_rank != 0 || per_root != 0; }

    /// The square root of a number of ranks, or 0 if it is not whole.
    [[nodiscard]] static std::int64_t root_of(std::int64_t ranks);
};

/// \param counts  counts in the runs, from the smallest one on
/// \return none if they follow no such law exactly
[[nodiscard]] std::optional<Count> count_for(std::span<const std::int64_t> counts, const Growth& growth);

/// A law of one of two forms. The first is offset + factor * ranks^exponent * group^group_power * 2^(round_power *
/// round) / (sizes of some dimensions of the grid), times sqrt(ranks) - 1 if it is `by_neighbours`. The second is
/// offset + factor * log2(ranks), with a logarithm that is smaller by a constant, the same for all runs.
struct Scaling {
    double offset = 0;
    double factor = 0;
    double exponent = 0;         ///< 0, 1, -1, 1/2, -1/2 or -2/3
    bool by_neighbours = false;  ///< by the number of pairs of neighbours along a side of a square grid
    int round_power = 0;
    int group_power = 0;  ///< of the number of ranks in the communicator
    std::array<bool, kMostDimensions> shared_among{};
    bool logarithmic = false;
    double residual = 0;  ///< root of the mean square of (fit - seen) / seen

    [[nodiscard]] double at(const Where& where) const;
    [[nodiscard]] bool is_constant() const;
    /// Text of the law, such as "constant" or "1 / ranks".
    [[nodiscard]] std::string text() const;
};

/// Tolerance for sizes that no law fits exactly.
inline constexpr double kSizeTolerance = 0.02;

/// All laws that all sizes follow exactly, the simplest first; if there is none, the closest one within the tolerance.
/// \param dimensions  dimensions of the grid; 1: there is no grid
/// \param grouped     true: a part of the ranks communicates
[[nodiscard]] std::vector<Scaling> scalings_of_sizes(std::span<const Seen> seen, std::size_t dimensions, bool grouped);

/// The law of times: the simplest within a tolerance, else the best fit.
/// \param by_side  true: loops of the program grow with the side of a square grid, as its work may do
[[nodiscard]] Scaling scaling_of_times(std::span<const std::pair<Where, double>> seen, bool by_side);

}  // namespace waywiser::extrapolate
