#include "extrapolate/grid.hpp"

namespace waywiser::extrapolate {

Grid Growth::after(unsigned doublings) const {
    Grid grid = first;
    for (unsigned i = 0; i < doublings; ++i) grid.sizes.at(turn[i % turn.size()]) *= 2;
    return grid;
}

std::string Growth::text(unsigned doublings) const {
    const Grid grid = after(doublings);
    std::string text;
    for (std::size_t i = dimensions; i-- > 0;) text += (text.empty() ? "" : " x ") + std::to_string(grid.sizes.at(i));
    return text;
}

namespace {

/// Orders in which dimensions double: one dimension only, or two or three in turn.
std::vector<std::vector<std::size_t>> turns(std::size_t dimensions) {
    std::vector<std::vector<std::size_t>> found;
    for (std::size_t a = 0; a < dimensions; ++a) {
        for (std::size_t b = 0; b < dimensions; ++b) {
            if (b == a) continue;
            if (dimensions == 2) found.push_back({a, b});
            if (dimensions == 3) found.push_back({a, b, 3 - a - b});
        }
    }
    for (std::size_t a = 0; a < dimensions; ++a) {
        for (std::size_t b = 0; dimensions == 3 && b < dimensions; ++b) {
            if (b != a) found.push_back({a, b});
        }
    }
    for (std::size_t a = 0; a < dimensions; ++a) found.push_back({a});
    return found;
}

/// All factorisations of a number of ranks into this number of factors.
std::vector<Grid> grids(std::size_t dimensions, std::int64_t ranks) {
    std::vector<Grid> found;
    for (std::int64_t x = 1; x <= ranks; ++x) {
        for (std::int64_t y = 1; ranks % x == 0 && y <= ranks / x; ++y) {
            const std::int64_t z = ranks / x / y;
            if (x * y * z != ranks || (dimensions < 3 && z > 1) || (dimensions < 2 && y > 1)) continue;
            found.push_back({.sizes = {x, y, z}});
        }
    }
    return found;
}

bool is_flat(const Growth& growth, unsigned doublings) {
    const Grid grid = growth.after(doublings);
    for (std::size_t i = 0; i < growth.dimensions; ++i) {
        if (grid.sizes.at(i) == 1) return true;
    }
    return false;
}

}  // namespace

std::vector<Growth> growths(std::size_t dimensions, std::int64_t ranks, unsigned doublings) {
    std::vector<Growth> found;
    // A dimension that does not double in the given runs is assumed to double later.
    for (const std::vector<std::size_t>& turn : turns(dimensions)) {
        // Two doublings do not show whether the third dimension doubles next or never.
        if (turn.size() == 2 && dimensions == 3 && doublings < 3) continue;
        for (const Grid& first : grids(dimensions, ranks)) {
            const Growth growth{.dimensions = dimensions, .first = first, .turn = turn};
            if (dimensions == 1 || !is_flat(growth, doublings)) found.push_back(growth);
        }
    }
    return found;
}

std::uint32_t class_of(Classes classes, std::int64_t rank, const Grid& grid) {
    const Grid line{.sizes = {grid.sizes[0] * grid.sizes[1] * grid.sizes[2], 1, 1}};
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
