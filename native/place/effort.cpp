#include "place/effort.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

namespace waywiser::place {
namespace {

// Approximate rates of one core per second: distances of a swap search, edges of a multisection, shares of routes in a
// search by links.
constexpr double kDistancesPerSecond = 2e8;
constexpr double kEdgesPerSecond = 2.5e7;
constexpr double kSharesPerSecond = 8e7;

/// The time that a user would accept for an answer: 60 microseconds per rank, less if there are very many ranks, and at
/// least a hundredth of a second.
double seconds_for(std::uint64_t ranks, const Options& options) {
    constexpr double kMany = 65536;
    const auto count = static_cast<double>(ranks);
    return options.seconds > 0 ? options.seconds : std::max(0.01, 6e-5 * count / std::sqrt(1 + count / kMany));
}

}  // namespace

Effort effort_for(std::uint64_t ranks, std::uint64_t edges, const Options& options) {
    if (ranks == 0) return {};
    const double seconds = seconds_for(ranks, options);
    const double one_run = static_cast<double>((edges + 6 * ranks) * std::bit_width(ranks)) / kEdgesPerSecond;
    const double runs = seconds / one_run;
    const double distances_of_swap = 4 * static_cast<double>(edges) / static_cast<double>(ranks) + 20;
    Effort effort;
    effort.runs = static_cast<std::uint32_t>(std::clamp(runs, 1.0, 4.0));
    effort.starts = static_cast<std::uint32_t>(std::clamp(runs / effort.runs, 1.0, 8.0));
    effort.swaps = static_cast<std::uint64_t>(seconds * kDistancesPerSecond / distances_of_swap);
    effort.shares = static_cast<std::uint64_t>(seconds * kSharesPerSecond);
    return effort;
}

}  // namespace waywiser::place
