#include "extrapolate/grid.hpp"

#include <algorithm>
#include <bit>

namespace waywiser::extrapolate {

Grid Growth::after(unsigned steps) const {
    Grid grid = first;
    for (unsigned i = 0; i < doublings * steps; ++i) grid.sizes.at(turn[i % turn.size()]) *= 2;
    return grid;
}

std::optional<unsigned> Growth::steps(std::int64_t ranks) const {
    const std::int64_t least = first.ranks();
    if (ranks < least || ranks % least != 0) return {};
    const auto times = static_cast<std::uint64_t>(ranks / least);
    const auto doubled = static_cast<unsigned>(std::bit_width(times) - 1);
    if (!std::has_single_bit(times) || doubled % doublings != 0) return {};
    return doubled / doublings;
}

std::string Growth::text(unsigned steps) const {
    const Grid grid = after(steps);
    std::string text;
    for (std::size_t i = dimensions; i-- > 0;) text += (text.empty() ? "" : " x ") + std::to_string(grid.sizes.at(i));
    return text;
}

namespace {

/// Orders in which dimensions double: one dimension only, or two or three in turn.
std::vector<std::vector<std::size_t>> turns(std::size_t dimensions) {
    std::vector<std::vector<std::size_t>> orders;
    for (std::size_t a = 0; a < dimensions; ++a) {
        for (std::size_t b = 0; b < dimensions; ++b) {
            if (b == a) continue;
            if (dimensions == 2) orders.push_back({a, b});
            if (dimensions == 3) orders.push_back({a, b, 3 - a - b});
        }
    }
    for (std::size_t a = 0; a < dimensions; ++a) {
        for (std::size_t b = 0; dimensions == 3 && b < dimensions; ++b) {
            if (b != a) orders.push_back({a, b});
        }
    }
    for (std::size_t a = 0; a < dimensions; ++a) orders.push_back({a});
    return orders;
}

/// All factorisations of a number of ranks into this number of factors.
std::vector<Grid> grids(std::size_t dimensions, std::int64_t ranks) {
    std::vector<Grid> factorisations;
    for (std::int64_t x = 1; x <= ranks; ++x) {
        for (std::int64_t y = 1; ranks % x == 0 && y <= ranks / x; ++y) {
            const std::int64_t z = ranks / x / y;
            if (x * y * z != ranks || (dimensions < 3 && z > 1) || (dimensions < 2 && y > 1)) continue;
            factorisations.push_back({.sizes = {x, y, z}});
        }
    }
    return factorisations;
}

bool is_flat(const Growth& growth, unsigned steps) {
    const Grid grid = growth.after(steps);
    for (std::size_t i = 0; i < growth.dimensions; ++i) {
        if (grid.sizes.at(i) == 1) return true;
    }
    return false;
}

}  // namespace

std::vector<Growth> growths(std::size_t dimensions, std::span<const std::int64_t> ranks) {
    std::vector<Growth> candidates;
    const unsigned doublings = ranks[1] / ranks[0] == 2 ? 1 : 2;
    const auto steps = static_cast<unsigned>(ranks.size() - 1);
    // A dimension that does not double in the given runs is assumed to double later.
    for (const std::vector<std::size_t>& turn : turns(dimensions)) {
        // Two doublings do not show whether the third dimension doubles next or never.
        if (turn.size() == 2 && dimensions == 3 && doublings * steps < 3) continue;
        // Two dimensions that double in the same step have no order.
        if (turn.size() == doublings && !std::ranges::is_sorted(turn)) continue;
        for (const Grid& first : grids(dimensions, ranks[0])) {
            const Growth growth{.dimensions = dimensions, .first = first, .turn = turn, .doublings = doublings};
            if (dimensions == 1 || !is_flat(growth, steps)) candidates.push_back(growth);
        }
    }
    return candidates;
}

std::uint32_t class_of(Classes classes, std::int64_t rank, const Grid& grid) {
    const Grid line{.sizes = {grid.ranks(), 1, 1}};
    const Grid& of = classes == Classes::edges ? grid : line;
    const Place at = of.place(rank);
    std::uint32_t number = 0;
    if (classes == Classes::ends || classes == Classes::ends_and_parity || classes == Classes::edges) {
        for (std::size_t i = 0; i < kMostDimensions; ++i) {
            const bool first = at.at(i) == 0;
            const bool last = at.at(i) == of.sizes.at(i) - 1;
            number = number * 4 + (first ? 1U : 0U) + (last ? 2U : 0U);
        }
    }
    if (classes == Classes::parity || classes == Classes::ends_and_parity) {
        number = number * 2 + static_cast<std::uint32_t>(rank % 2);
    }
    return number;
}

}  // namespace waywiser::extrapolate
