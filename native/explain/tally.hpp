/// Counters of the wait analysis.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "base/flat_map.hpp"
#include "explain/waits.hpp"

namespace waywiser::explain {

/// Waiting between two ranks in both directions.
class WaitingPairs {
public:
    struct Direction {
        std::uint64_t ns = 0;
        std::uint64_t calls = 0;
        std::uint64_t synchronised_ns = 0;
    };
    struct Pair {
        std::array<Direction, 2> directions;  ///< waits of the lower rank, and of the higher one

        [[nodiscard]] std::uint64_t synchronised_ns() const {
            return std::max(directions[0].synchronised_ns, directions[1].synchronised_ns);
        }
    };

    [[nodiscard]] Pair& between(std::int64_t first, std::int64_t second) {
        const auto [low, high] = std::minmax(first, second);
        return pairs_[static_cast<std::uint64_t>(low) << 32U | static_cast<std::uint64_t>(high)];
    }

    /// All pairs, sorted by ranks.
    [[nodiscard]] std::vector<WaitingPair> list();

private:
    FlatMap<Pair> pairs_;  ///< the lower rank << 32 | the higher one
};

/// Waiting of all ranks, by ranks and over time.
class WaitSums {
public:
    WaitSums(const trace::TraceJob& job, const TimeWindow& counted);

    [[nodiscard]] RankWaits& rank(std::uint32_t index) { return ranks_[index]; }

    void add(std::uint32_t rank, Wait wait, std::uint64_t begin_ns, std::uint64_t end_ns);

    [[nodiscard]] std::vector<RankWaits> take_ranks() { return std::move(ranks_); }
    [[nodiscard]] WaitsOverTime take_over_time() { return std::move(over_time_); }

private:
    std::vector<RankWaits> ranks_;
    WaitsOverTime over_time_;
};

/// Counts of omissions and assumptions.
struct Omissions {
    std::uint64_t unmatched_receives = 0;
    std::uint64_t unmatched_collectives = 0;
    std::uint64_t violations = 0;
    std::uint64_t unknown_peers = 0;
    std::uint64_t not_followed = 0;
    std::uint64_t lost_chains = 0;

    /// One sentence for each count that is not 0.
    [[nodiscard]] std::vector<std::string> remarks() const;
};

}  // namespace waywiser::explain
