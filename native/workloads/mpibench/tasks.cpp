#include "workloads/mpibench/tasks.hpp"

#include "base/flat_map.hpp"

#include <cmath>
#include <cstddef>
#include <utility>

namespace waywiser::mpibench {

std::vector<double> task_lengths(std::int64_t count, std::int64_t seed) {
    std::vector<double> lengths;
    lengths.reserve(static_cast<std::size_t>(count));
    for (std::int64_t k = 0; k < count; ++k) {
        lengths.push_back(-std::log1p(-(static_cast<double>(k) + 0.5) / static_cast<double>(count)));
    }
    // Fisher-Yates shuffle. The order of std::shuffle differs between standard libraries.
    std::uint64_t state = scattered(static_cast<std::uint64_t>(seed));
    for (std::size_t left = lengths.size(); left > 1; --left) {
        state = scattered(state);
        std::swap(lengths[left - 1], lengths[state % left]);
    }
    return lengths;
}

void Tally::add(std::int64_t number) {
    ++count_;
    sum_ += scattered(static_cast<std::uint64_t>(number));
}

Tally::Missing Tally::missing(std::int64_t numbers, int rank, int ranks) const {
    Tally own;
    for (std::int64_t number = rank; number < numbers; number += ranks) own.add(number);
    return {.count = static_cast<std::uint64_t>(own.count_ - count_), .sum = own.sum_ - sum_};
}

}  // namespace waywiser::mpibench
