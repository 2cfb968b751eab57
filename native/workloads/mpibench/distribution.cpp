#include "workloads/mpibench/distribution.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <map>
#include <numeric>

namespace waywiser::mpibench {
namespace {

/// Bits of the mantissa that bins ignore. Doubles with the same sign, exponent and first 7 bits of the mantissa are in
/// one bin.
constexpr unsigned dropped_bits = 52 - 7;

double quantile(std::span<const double> sorted, double share) {
    const double position = std::ceil(share * static_cast<double>(sorted.size()));
    return sorted[static_cast<std::size_t>(std::max(1.0, position)) - 1];
}

std::optional<std::pair<double, double>> median_interval(std::span<const double> sorted) {
    if (sorted.size() < 6) return std::nullopt;
    const auto n = static_cast<double>(sorted.size());
    const double half = 0.98 * std::sqrt(n);  // 1.96 / 2
    const auto low = static_cast<std::size_t>(std::max(1.0, std::floor(n / 2 - half)));
    const auto high = static_cast<std::size_t>(std::min(n, std::ceil(n / 2 + 1 + half)));
    return std::pair{sorted[low - 1], sorted[high - 1]};
}

}  // namespace

Histogram::Histogram(std::span<const double> values) {
    std::map<std::uint64_t, std::int64_t> bins;
    for (const double value : values) ++bins[std::bit_cast<std::uint64_t>(value) >> dropped_bits];
    for (const auto& [bin, count] : bins) {
        lower_bounds_.push_back(std::bit_cast<double>(bin << dropped_bits));
        counts_.push_back(count);
    }
}

Distribution describe(std::span<double> values) {
    std::ranges::sort(values);
    const double sum = std::accumulate(values.begin(), values.end(), 0.0);
    return {.minimum = values.front(),
            .median = quantile(values, 0.5),
            .p90 = quantile(values, 0.9),
            .p99 = quantile(values, 0.99),
            .p999 = quantile(values, 0.999),
            .maximum = values.back(),
            .mean = sum / static_cast<double>(values.size()),
            .median_interval = median_interval(values)};
}

}  // namespace waywiser::mpibench
