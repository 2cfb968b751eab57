#include "workloads/spectral/layout.hpp"

#include "base/error.hpp"

#include <algorithm>

namespace waywiser::spectral {
namespace {

constexpr Index value_bytes = 8;
constexpr Index complex_bytes = 16;

/// True if each set has at least one wave number, one ring and one level.
bool fits(const Grid& grid, Index levels, const RankGrid& ranks) {
    return ranks.w <= std::min(grid.rings(), grid.truncation() + 1) && ranks.v <= levels;
}

std::string grid_text(const RankGrid& ranks) { return std::to_string(ranks.w) + " x " + std::to_string(ranks.v); }

/// Valid rank grids, with those closest to a square first.
std::vector<RankGrid> possible(const Grid& grid, Index levels, Index ranks) {
    std::vector<RankGrid> grids;
    for (Index v = 1; v <= ranks; ++v) {
        const RankGrid candidate{ranks / v, v};
        if (ranks % v == 0 && fits(grid, levels, candidate)) grids.push_back(candidate);
    }
    const auto distance = [](const RankGrid& candidate) { return std::max(candidate.w, candidate.v); };
    std::ranges::stable_sort(grids, [&](const RankGrid& a, const RankGrid& b) { return distance(a) < distance(b); });
    return grids;
}

std::string nearest_counts(const Grid& grid, Index levels, Index ranks) {
    Index below = ranks;
    while (possible(grid, levels, below).empty()) --below;
    const Index most = std::min(grid.rings(), grid.truncation() + 1) * levels;
    Index above = ranks;
    while (above <= most && possible(grid, levels, above).empty()) ++above;
    return above <= most ? "the nearest counts that can: " + std::to_string(below) + " and " + std::to_string(above)
                         : "the greatest count that can: " + std::to_string(below);
}

}  // namespace

Range share(Index whole, Index part, Index parts) { return {whole * part / parts, whole * (part + 1) / parts}; }

std::vector<Index> dealt(Index whole, Index part, Index parts) {
    std::vector<Index> mine;
    for (Index round = 0; round * parts < whole; ++round) {
        const Index index = round * parts + (round % 2 == 0 ? part : parts - 1 - part);
        if (index < whole) mine.push_back(index);
    }
    return mine;
}

Layout::Layout(const Grid& grid, Index levels, RankGrid ranks) : grid_(grid), levels_(levels), ranks_(ranks) {
    for (Index w = 0; w < ranks.w; ++w) {
        waves_.push_back(dealt(grid.truncation() + 1, w, ranks.w));
        std::vector<Index> both;
        for (const Index ring : dealt(grid.rings(), w, ranks.w)) {
            both.push_back(ring);
            both.push_back(grid.latitudes() - 1 - ring);
        }
        latitudes_.push_back(std::move(both));
    }
}

Index Layout::coefficients(Index w) const {
    Index sum = 0;
    for (const Index wave : waves(w)) sum += grid_.truncation() - wave + 1;
    return sum;
}

Index Layout::carried(Index w, Index latitude) const {
    return std::ranges::lower_bound(waves(w), grid_.waves(latitude)) - waves(w).begin();
}

Index Layout::row_bytes(Index w, Index v2) const {
    Index points = 0;
    for (const Index latitude : latitudes(w)) points += longitudes(latitude, v2).size();
    return value_bytes * points;
}

Index Layout::column_bytes(Index w, Index w2) const {
    Index waves = 0;
    for (const Index latitude : latitudes(w2)) waves += carried(w, latitude);
    return complex_bytes * waves;
}

Index Layout::coefficient_bytes(Index w, Index v) const {
    return complex_bytes * share(coefficients(w), v, ranks_.v).size();
}

RankGrid rank_grid(const Grid& grid, Index levels, Index ranks, const RankGrid& requested) {
    const std::vector<RankGrid> grids = possible(grid, levels, ranks);
    const std::string job = std::to_string(ranks) + " rank(s) cannot share T" + std::to_string(grid.truncation()) +
                            " on " + std::to_string(grid.latitudes()) + " latitudes with " + std::to_string(levels) +
                            " level(s): each needs a wave number, a pair of latitudes and a level; ";
    if (grids.empty()) throw InvalidInput(job + nearest_counts(grid, levels, ranks));
    std::string known;
    for (const RankGrid& candidate : grids) {
        if ((requested.w == 0 || requested.w == candidate.w) && (requested.v == 0 || requested.v == candidate.v))
            return candidate;
        known += (known.empty() ? "" : ", ") + grid_text(candidate);
    }
    throw InvalidInput("a rank grid of " + grid_text(requested) + " (0: free) cannot share T" +
                       std::to_string(grid.truncation()) + " with " + std::to_string(levels) + " level(s) among " +
                       std::to_string(ranks) + " rank(s); those that can: " + known);
}

}  // namespace waywiser::spectral
