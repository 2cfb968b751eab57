#include "simulate/stretches.hpp"

#include <algorithm>

namespace waywiser::simulate {

void Stretches::add(StretchKind kind, double ns) {
    Kind& found = kinds_[kind];
    found.sum_ns += ns;
    total_ns_ += ns;
    if (found.samples_ns.size() < kMostSamples) found.samples_ns.push_back(static_cast<float>(ns));
}

StretchTimes Stretches::sums() const {
    StretchTimes found;
    for (const auto& [kind, times] : kinds_) found.emplace(kind, times.sum_ns);
    return found;
}

StretchTimes Stretches::medians() const {
    StretchTimes found;
    for (const auto& [kind, times] : kinds_) {
        if (times.samples_ns.size() < kRepeated) continue;
        std::vector<float> sorted = times.samples_ns;
        const auto middle = sorted.begin() + static_cast<std::ptrdiff_t>((sorted.size() - 1) / 2);
        std::ranges::nth_element(sorted, middle);
        found.emplace(kind, *middle);
    }
    return found;
}

std::vector<StretchTimes> balancing_factors(const std::vector<Stretches>& ranks) {
    std::vector<StretchTimes> factors;
    StretchTimes mean_ns;
    for (const Stretches& rank : ranks) {
        factors.push_back(rank.sums());
        if (factors.back().size() != factors.front().size()) return {};
        for (const auto& [kind, ns] : factors.back()) {
            if (!factors.front().contains(kind)) return {};
            mean_ns[kind] += ns / static_cast<double>(ranks.size());
        }
    }
    for (StretchTimes& rank : factors) {
        for (auto& [kind, ns] : rank) ns = ns > 0 ? mean_ns[kind] / ns : 1;
    }
    return factors;
}

}  // namespace waywiser::simulate
