/// Stencils of known shape, their ranks numbered at random.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <numeric>
#include <random>
#include <vector>

#include "place/pattern.hpp"

namespace waywiser::grids {

struct Shape {
    std::vector<std::uint32_t> lengths;
    std::vector<bool> wraps;
    std::vector<std::uint64_t> bytes;  ///< each way along each dimension
    bool box = false;                  ///< diagonal neighbours speak as well
    std::uint64_t diagonal_bytes = 1;  ///< of those
};

[[nodiscard]] inline std::uint32_t ranks_of(const Shape& shape) {
    return std::accumulate(shape.lengths.begin(), shape.lengths.end(), 1U, std::multiplies());
}

/// The place of each rank, the first dimension fastest.
[[nodiscard]] inline std::vector<std::uint32_t> shuffled(std::uint32_t ranks, std::uint64_t seed) {
    std::vector<std::uint32_t> rank_at(ranks);
    std::iota(rank_at.begin(), rank_at.end(), 0U);
    std::mt19937_64 random(seed);
    if (seed != 0) std::shuffle(rank_at.begin(), rank_at.end(), random);
    return rank_at;
}

/// Communication between the ranks; \p rank_at is the rank at each place.
[[nodiscard]] inline std::vector<place::Pattern::Entry> entries_of(const Shape& shape,
                                                                   const std::vector<std::uint32_t>& rank_at) {
    const std::size_t dimensions = shape.lengths.size();
    std::vector<place::Pattern::Entry> entries;
    std::vector<int> offset(dimensions, -1);
    for (;;) {
        std::size_t nonzero = 0;
        std::size_t along = 0;
        for (std::size_t i = 0; i < dimensions; ++i) {
            if (offset[i] != 0) {
                ++nonzero;
                along = i;
            }
        }
        if (nonzero == 1 || (nonzero > 1 && shape.box)) {
            const std::uint64_t bytes = nonzero == 1 ? shape.bytes[along] : shape.diagonal_bytes;
            for (std::uint32_t place = 0; place < rank_at.size(); ++place) {
                std::uint32_t rest = place;
                std::uint32_t other = 0;
                std::uint32_t stride = 1;
                bool there = true;
                for (std::size_t i = 0; i < dimensions; ++i) {
                    const std::uint32_t length = shape.lengths[i];
                    const std::uint32_t to = rest % length + length + static_cast<std::uint32_t>(offset[i]);
                    there = there && (shape.wraps[i] || (to >= length && to < 2 * length));
                    other += to % length * stride;
                    stride *= length;
                    rest /= length;
                }
                if (there) entries.push_back({rank_at[place], rank_at[other], bytes, 1});
            }
        }
        std::size_t i = 0;
        while (i < dimensions && offset[i] == 1) offset[i++] = -1;
        if (i == dimensions) return entries;
        ++offset[i];
    }
}

[[nodiscard]] inline place::Pattern pattern_of(const Shape& shape, std::uint64_t seed) {
    const std::vector<std::uint32_t> rank_at = shuffled(ranks_of(shape), seed);
    return {ranks_of(shape), entries_of(shape, rank_at)};
}

}  // namespace waywiser::grids
