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

/// Overlap of an operation with the work that is done meanwhile.
struct Overlap {
    double all_seconds;    ///< of both
    double work_seconds;   ///< of the work alone
    double alone_seconds;  ///< of the operation alone
    double share;          ///< of the operation's time that the work hid: 0 to 1
};

struct Result {
    std::int64_t bytes = 0;  ///< of one block
    Plan plan{};
    double seconds = 0;                   ///< the headline
    std::optional<Distribution> ns{};     ///< of the slowest rank by iteration, or of all; none where a loop was taken
    std::vector<double> rank_means_ns{};  ///< of the ranks with a watch
    std::vector<RankHistogram> histograms{};
    std::int64_t late = 0;                      ///< iterations that some rank began after the common start
    std::optional<std::int64_t> bytes_moved{};  ///< in `seconds`
    std::int64_t messages = 0;                  ///< in `seconds`; 0 where a rate has no meaning
    std::optional<bool> verified{};
    std::optional<Overlap> overlap{};
    std::vector<Metric> metrics{};  ///< of this benchmark alone
    Traffic traffic{};              ///< of warm-up and iterations
    std::string carriers;           ///< of the data; empty where no rank talks to another
};

/// The rates of a benchmark that has them.
[[nodiscard]] double bandwidth_Bps(const Result& result);
[[nodiscard]] double messages_per_second(const Result& result);

/// Collective; the result is complete on rank 0, and whether the data held is known to all.
[[nodiscard]] Result collect(const Benchmark& benchmark, const Call& call, const Plan& plan, const Times& times);

}  // namespace waywiser::mpibench
