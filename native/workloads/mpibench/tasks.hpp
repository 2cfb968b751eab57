/// Tasks of known lengths, and the check that each task was taken once.
#pragma once

#include <cstdint>
#include <vector>

namespace waywiser::mpibench {

/// Lengths of tasks in units of their mean: the quantiles (k + 1/2) / count of an exponential distribution, in an order
/// that the seed gives. Many tasks are short and a few are long. The sum and the longest length are the same for every
/// seed.
[[nodiscard]] std::vector<double> task_lengths(std::int64_t count, std::int64_t seed);

/// Numbers that one rank has drawn. Over all ranks, `count` and `sum` of the missing numbers are 0 if each number was
/// drawn once. Otherwise, `sum` is 0 with a probability of 2^-64, because `sum` adds up scattered numbers.
class Tally {
public:
    struct Missing {
        std::uint64_t count = 0;  ///< modulo 2^64, like the sum
        std::uint64_t sum = 0;
    };

    void add(std::int64_t number);

    /// The number of calls of `add`.
    [[nodiscard]] std::int64_t count() const { return count_; }

    /// Returns count and sum of each `ranks`-th number below `numbers`, from `rank` on, less count and sum of the
    /// numbers that this rank has drawn.
    [[nodiscard]] Missing missing(std::int64_t numbers, int rank, int ranks) const;

private:
    std::int64_t count_ = 0;
    std::uint64_t sum_ = 0;
};

}  // namespace waywiser::mpibench
