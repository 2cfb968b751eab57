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
    std::int64_t per_doubling = 0;  ///< additional repetitions for each doubling of the ranks since the smallest run
    std::int64_t per_rank = 0;

    [[nodiscard]] std::int64_t at(std::int64_t ranks, unsigned doublings) const {
        return fixed + per_doubling * static_cast<std::int64_t>(doublings) + per_rank * ranks;
    }
    [[nodiscard]] bool grows() const { return per_doubling != 0 || per_rank != 0; }
};

/// \param counts  counts in runs of P, 2 P, 4 P, … ranks
/// \return none if they follow no such law exactly
[[nodiscard]] std::optional<Count> count_for(std::span<const std::int64_t> counts, std::int64_t ranks);

/// A law of one of two forms. The first is offset + factor * ranks^exponent * group^group_power * 2^(round_power *
/// round) / (sizes of some dimensions of the grid). The second is offset + factor * log2(ranks), with a logarithm that
/// is smaller by a constant, the same for all runs.
struct Scaling {
    double offset = 0;
    double factor = 0;
    double exponent = 0;  ///< 0, 1, -1, -1/2 or -2/3
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
[[nodiscard]] Scaling scaling_of_times(std::span<const std::pair<Where, double>> seen);

}  // namespace waywiser::extrapolate
