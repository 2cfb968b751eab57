/// Distributions of times: histograms, and the order statistics that are printed.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace waywiser::mpibench {

/// Bins whose width is 1/128 (0.8 %) of their lower bound or less, at any magnitude.
class Histogram {
public:
    explicit Histogram(std::span<const double> values);

    /// Lower bounds and counts of nonempty bins, in rising order.
    [[nodiscard]] const std::vector<double>& lower_bounds() const { return lower_bounds_; }
    [[nodiscard]] const std::vector<std::int64_t>& counts() const { return counts_; }

private:
    std::vector<double> lower_bounds_;
    std::vector<std::int64_t> counts_;
};

/// Order statistics of values >= 0. The quantile of a share is the least value that at least this share of the values
/// does not exceed.
struct Distribution {
    double minimum;
    double median;
    double p90;
    double p99;
    double p999;
    double maximum;
    double mean;
    /// Order statistics between which the median lies with 95 % confidence; none below 6 values.
    /// Source: J.-Y. Le Boudec, "Performance Evaluation of Computer and Communication Systems", 2010, section 2.2.
    std::optional<std::pair<double, double>> median_interval;
};

/// \param values  at least one; sorted in place
[[nodiscard]] Distribution describe(std::span<double> values);

}  // namespace waywiser::mpibench
