#include "simulate/intervals.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numbers>
#include <utility>

namespace waywiser::simulate {
namespace {

/// Durations of the n-th intervals of a kind, by stream.
using Alike = std::vector<std::vector<float>*>;

/// Intervals that differ by no more than this factor, and are all longer than usual, are due to the program.
constexpr float kAlike = 1.2F;

float median(std::vector<float> values) {
    const auto middle = values.begin() + static_cast<std::ptrdiff_t>((values.size() - 1) / 2);
    std::ranges::nth_element(values, middle);
    return *middle;
}

/// The median of these intervals in each stream; not 0.
std::vector<float> medians(const Alike& streams, const std::vector<std::size_t>& numbers) {
    std::vector<float> of_streams;
    of_streams.reserve(streams.size());
    for (const std::vector<float>* ns : streams) {
        std::vector<float> own;
        own.reserve(numbers.size());
        for (const std::size_t number : numbers) own.push_back((*ns)[number]);
        of_streams.push_back(std::max(median(std::move(own)), 1.0F));
    }
    return of_streams;
}

/// The shortest and the longest of the n-th intervals, each in proportion to the median of its stream.
std::pair<float, float> range(const Alike& streams, const std::vector<float>& medians_ns, std::size_t number) {
    std::pair extremes(std::numeric_limits<float>::max(), 0.0F);
    for (std::size_t i = 0; i < streams.size(); ++i) {
        const float share = (*streams[i])[number] / medians_ns[i];
        extremes = {std::min(extremes.first, share), std::max(extremes.second, share)};
    }
    return extremes;
}

void quieten_alike(const Alike& streams) {
    std::vector<std::size_t> all(streams.front()->size());
    for (std::size_t i = 0; i < all.size(); ++i) all[i] = i;
    const std::vector<float> medians_ns = medians(streams, all);
    std::map<int, std::vector<std::size_t>> by_octave;
    for (const std::size_t number : all) {
        const float share = std::max(range(streams, medians_ns, number).first, 0x1p-20F);
        by_octave[std::ilogb(share * std::numbers::sqrt2)].push_back(number);  // the nearest
    }
    std::vector<float> usual_ns;
    int usual_octave = 0;
    for (const auto& [octave, numbers] : by_octave) {
        if (numbers.size() >= Intervals::kRepeated) {
            usual_ns = medians(streams, numbers);
            usual_octave = octave;
        } else if (usual_ns.empty() || usual_octave + 1 != octave) {
            continue;
        }
        for (const std::size_t number : numbers) {
            const auto [least, most] = range(streams, usual_ns, number);
            const float all_take = most <= kAlike * least ? std::max(least, 1.0F) : 1.0F;
            for (std::size_t i = 0; i < streams.size(); ++i) {
                float& ns = (*streams[i])[number];
                ns = std::min(ns, usual_ns[i] * all_take);
            }
        }
    }
}

}  // namespace

std::vector<IntervalTimes> balancing_factors(const std::vector<IntervalTimes>& sums_ns) {
    std::vector<IntervalTimes> factors = sums_ns;
    IntervalTimes mean_ns;
    for (const IntervalTimes& rank : sums_ns) {
        if (rank.size() != sums_ns.front().size()) return {};
        for (const auto& [kind, ns] : rank) {
            if (!sums_ns.front().contains(kind)) return {};
            mean_ns[kind] += ns / static_cast<double>(sums_ns.size());
        }
    }
    for (IntervalTimes& rank : factors) {
        for (auto& [kind, ns] : rank) ns = ns > 0 ? mean_ns[kind] / ns : 1;
    }
    return factors;
}

void Intervals::quieten(std::vector<Intervals>& streams) {
    std::map<std::pair<IntervalKind, std::size_t>, Alike> alike;
    for (Intervals& stream : streams) {
        for (auto& [kind, times] : stream.kinds_) alike[{kind, times.ns.size()}].push_back(&times.ns);
    }
    for (const auto& [kind, of_kind] : alike) {
        if (of_kind.size() > 1 && of_kind.front()->size() >= kRepeated) quieten_alike(of_kind);
    }
}

}  // namespace waywiser::simulate
