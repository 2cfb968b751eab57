/// Computation time of a rank between two calls, by kind. Computation intervals with the same two calls around them
/// (function and call site) are of one kind, in whichever iteration.
#pragma once

#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "trace/records/trace.hpp"

namespace waywiser::simulate {

using IntervalKind = std::uint64_t;

/// Call sites beyond 65,535 share kinds with others.
[[nodiscard]] inline IntervalKind interval_kind(const trace::Parameters& before, const trace::Parameters& after) {
    const auto half = [](const trace::Parameters& call) {
        return static_cast<std::uint64_t>(call.function & 0xffffU) << 16U | (call.site & 0xffffU);
    };
    return half(before) << 32U | half(after);
}

/// Computation time of one rank by kind of interval [ns].
using IntervalTimes = std::unordered_map<IntervalKind, double>;

/// Factors for each rank's recorded times that give it, for each kind, the average computation of all ranks.
///
/// \param sums_ns  sums by rank
/// \return empty if ranks do not have the same kinds of intervals
[[nodiscard]] std::vector<IntervalTimes> balancing_factors(const std::vector<IntervalTimes>& sums_ns);

/// Durations [ns] of a stream's intervals by kind, each in the order in which they come.
class Intervals {
public:
    void add(IntervalKind kind, double ns) { kinds_[kind].ns.push_back(static_cast<float>(ns)); }

    /// The next one of its kind.
    [[nodiscard]] double take(IntervalKind kind) {
        Kind& times = kinds_.at(kind);
        return times.ns[times.next++];
    }

    /// Shortens intervals that are delayed on only some of the streams to their usual length. For each kind, the n-th
    /// intervals of all streams with equally many intervals are compared, each in proportion to the median of its
    /// stream. A delay that all streams have in common is the program's, the rest is noise. Intervals within a loop and
    /// intervals between two loops may be of one kind. The shortest of the n-th intervals separates these two groups,
    /// and each group has medians of its own. Kinds without a comparison are not changed: those that no two streams
    /// have equally often, or with fewer than `kRepeated` intervals of about that length.
    static void quieten(std::vector<Intervals>& streams);

    static constexpr std::size_t kRepeated = 8;

private:
    struct Kind {
        std::vector<float> ns;
        std::size_t next = 0;
    };
    std::unordered_map<IntervalKind, Kind> kinds_;
};

}  // namespace waywiser::simulate
