/// What a rank computes between two calls, by kind: stretches between the same two calls (function and call site) are
/// of one kind, whichever iteration they are of.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "trace/trace.hpp"

namespace waywiser::simulate {

using StretchKind = std::uint64_t;

/// Call sites beyond 65,535 share kinds with others.
[[nodiscard]] inline StretchKind stretch_kind(const trace::Parameters& before, const trace::Parameters& after) {
    const auto half = [](const trace::Parameters& call) {
        return static_cast<std::uint64_t>(call.function & 0xffffU) << 16U | (call.site & 0xffffU);
    };
    return half(before) << 32U | half(after);
}

/// By kind, of one rank.
using StretchTimes = std::unordered_map<StretchKind, double>;

/// Durations of a rank's stretches.
class Stretches {
public:
    void add(StretchKind kind, double ns);

    /// Sums [ns].
    [[nodiscard]] StretchTimes sums() const;
    [[nodiscard]] double total_ns() const { return total_ns_; }

    /// Medians [ns] of the kinds that are repeated at least `kRepeated` times; of the first `kMostSamples` of each.
    [[nodiscard]] StretchTimes medians() const;

    static constexpr std::size_t kRepeated = 8;
    static constexpr std::size_t kMostSamples = 4096;

private:
    struct Kind {
        double sum_ns = 0;
        std::vector<float> samples_ns = {};
    };
    std::unordered_map<StretchKind, Kind> kinds_;
    double total_ns_ = 0;
};

/// What each rank's recorded times are multiplied by, so that it computes, of each kind, what all do on average.
/// Empty where ranks do not have the same kinds of stretches.
[[nodiscard]] std::vector<StretchTimes> balancing_factors(const std::vector<Stretches>& ranks);

}  // namespace waywiser::simulate
