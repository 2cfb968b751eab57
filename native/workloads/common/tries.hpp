/// Repeated measurement of an activity of all ranks.
#pragma once

#include "workloads/common/sample.hpp"
#include "workloads/common/stopwatch.hpp"

#include <mpi.h>

#include <algorithm>
#include <string_view>
#include <vector>

namespace waywiser {

/// Seconds of every try, in the order in which they were made; not empty.
class Tries {
public:
    explicit Tries(std::vector<double> seconds) : seconds_(std::move(seconds)), sorted_(seconds_) {
        std::ranges::sort(sorted_);
    }
    [[nodiscard]] const std::vector<double>& seconds() const { return seconds_; }
    [[nodiscard]] double least_s() const { return sorted_.front(); }
    [[nodiscard]] double greatest_s() const { return sorted_.back(); }
    [[nodiscard]] double median_s() const {
        const std::size_t half = sorted_.size() / 2;
        return sorted_.size() % 2 == 1 ? sorted_[half] : (sorted_[half - 1] + sorted_[half]) / 2;
    }

private:
    std::vector<double> seconds_;
    std::vector<double> sorted_;
};

/// Sets the sample's time to the median, and adds each try to its details. Columns show the fastest and the slowest
/// try.
inline void add_tries(Sample& sample, const Tries& tries, std::string_view key = "tries_s") {
    sample.seconds = tries.median_s();
    sample.details.add(key, tries.seconds());
    sample.details.show("least_s", tries.least_s()).show("greatest_s", tries.greatest_s());
}

/// Runs `body` once to warm up and then `count` times. Ranks start each try together, and a try takes as long as its
/// slowest rank. The time includes neither the barrier nor the reduction.
template <typename Body>
Tries time_tries(std::int64_t count, MPI_Comm communicator, Body&& body) {
    body();
    std::vector<double> seconds(static_cast<std::size_t>(count));
    for (double& duration : seconds) {
        MPI_Barrier(communicator);
        Stopwatch watch;
        body();
        duration = watch.lap_s();
    }
    MPI_Allreduce(MPI_IN_PLACE, seconds.data(), static_cast<int>(count), MPI_DOUBLE, MPI_MAX, communicator);
    return Tries(std::move(seconds));
}

}  // namespace waywiser
