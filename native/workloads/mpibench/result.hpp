/// The measurements of all ranks for one benchmark and size, combined on rank 0.
#pragma once

#include "workloads/mpibench/carriers.hpp"
#include "workloads/mpibench/distribution.hpp"
#include "workloads/mpibench/measure.hpp"

#include <optional>
#include <string>
#include <vector>

namespace waywiser::mpibench {

struct RankHistogram {
    int rank;
    std::vector<double> lower_bounds_ns;
    std::vector<std::int64_t> counts;
};

/// Overlap of an operation with concurrent work.
struct Overlap {
    double all_seconds;    ///< duration of both together
    double work_seconds;   ///< duration of the work alone
    double alone_seconds;  ///< duration of the operation alone
    double share;          ///< share of the operation's time that the work hid, from 0 to 1
};

struct Result {
    std::int64_t bytes = 0;  ///< size of one block
    Plan plan{};
    double seconds = 0;  ///< headline time: the median, or the mean with `osu` and `imb`
    /// times of the slowest rank by iteration, or of all ranks; none if a loop was measured
    std::optional<Distribution> ns{};
    std::vector<double> rank_means_ns{};  ///< means of the ranks that measure
    std::vector<RankHistogram> histograms{};
    std::int64_t late = 0;                      ///< iterations that some rank began after the common start
    std::optional<std::int64_t> bytes_moved{};  ///< bytes moved within `seconds`
    std::int64_t messages = 0;                  ///< messages within `seconds`; 0 if a rate has no meaning
    std::optional<bool> verified{};
    std::optional<Overlap> overlap{};
    std::vector<Metric> metrics{};  ///< metrics of this benchmark only
    Traffic traffic{};              ///< traffic of warm-up and iterations
    std::string carriers;           ///< transports of the data; empty if no rank communicates with another
};

/// Rates of a benchmark that has a bandwidth.
[[nodiscard]] double bandwidth_Bps(const Result& result);
[[nodiscard]] double messages_per_second(const Result& result);

/// Collects the result. Collective; the result is complete on rank 0, and all ranks know whether the data were correct.
[[nodiscard]] Result collect(const Benchmark& benchmark, const Call& call, const Plan& plan, const Times& times);

}  // namespace waywiser::mpibench
