/// Stencils of many shapes are found with their lengths, ends and weights when the ranks are numbered at random; and
/// what is none, by one pair of ranks or altogether, is not taken for one.
#include "place/stencil.hpp"

#include <cmath>
#include <cstdio>
#include <map>
#include <set>
#include <string>
#include <tuple>

#include "grids.hpp"

namespace {

using namespace waywiser::place;
using waywiser::grids::entries_of;
using waywiser::grids::pattern_of;
using waywiser::grids::ranks_of;
using waywiser::grids::Shape;
using waywiser::grids::shuffled;

/// Length, ends and weight of each dimension; a ring of four as the two by two that it is.
using Dimensions = std::multiset<std::tuple<std::uint32_t, bool, double>>;

Dimensions dimensions_of(const Shape& shape) {
    Dimensions out;
    for (std::size_t i = 0; i < shape.lengths.size(); ++i) {
        const bool wraps = shape.wraps[i] && shape.lengths[i] > 2;
        const double bytes = static_cast<double>(shape.bytes[i]) * (shape.wraps[i] && !wraps ? 2 : 1);
        if (wraps && shape.lengths[i] == 4) {
            for (int half = 0; half < 2; ++half) out.emplace(2, false, bytes);
        } else {
            out.emplace(shape.lengths[i], wraps, bytes);
        }
    }
    return out;
}

Dimensions dimensions_of(const Stencil& stencil) {
    Dimensions out;
    for (const auto& [length, wraps, bytes] : stencil.dimensions) out.emplace(length, wraps, bytes);
    return out;
}

/// Ranks that speak to each other along one dimension only are neighbours in the coordinates, and no two ranks have the
/// same: with as many pairs as such a grid has, coordinates are then right up to its symmetries.
bool coordinates_are_right(const Shape& shape, const std::vector<std::uint32_t>& rank_at, const Stencil& stencil) {
    Shape star = shape;
    star.box = false;
    const std::size_t dimensions = stencil.dimensions.size();
    for (const auto& entry : entries_of(star, rank_at)) {
        std::uint32_t steps = 0;
        for (std::size_t i = 0; i < dimensions; ++i) {
            const auto& [length, wraps, bytes] = stencil.dimensions[i];
            const std::uint32_t apart = static_cast<std::uint32_t>(
                std::abs(static_cast<int>(stencil.at(entry.from)[i]) - static_cast<int>(stencil.at(entry.to)[i])));
            steps += wraps ? std::min(apart, length - apart) : apart;
        }
        if (steps != 1) return false;
    }
    std::set<std::vector<std::uint32_t>> places;
    for (std::uint32_t rank = 0; rank < rank_at.size(); ++rank) {
        for (std::size_t i = 0; i < dimensions; ++i) {
            if (stencil.at(rank)[i] >= stencil.dimensions[i].length) return false;
        }
        places.emplace(stencil.at(rank), stencil.at(rank) + dimensions);
    }
    return places.size() == rank_at.size();
}

std::string name_of(const Shape& shape) {
    std::string name = shape.box ? "box" : "star";
    for (std::size_t i = 0; i < shape.lengths.size(); ++i) {
        name += ' ' + std::to_string(shape.lengths[i]) + (shape.wraps[i] ? "w" : "");
    }
    return name;
}

bool found(const Shape& shape, std::uint64_t seed) {
    const auto rank_at = shuffled(ranks_of(shape), seed);
    const auto stencil = find_stencil(Pattern(ranks_of(shape), entries_of(shape, rank_at)));
    // Traffic between adjacent places includes diagonals: only faces can be compared in boxes.
    const bool right = stencil && stencil->exact && stencil->explained == 1.0 &&
                       (shape.box || dimensions_of(shape) == dimensions_of(*stencil)) &&
                       coordinates_are_right(shape, rank_at, *stencil);
    if (!right) std::printf("%s, seed %d: not found\n", name_of(shape).c_str(), static_cast<int>(seed));
    return right;
}

int check_shapes() {
    const std::vector<Shape> shapes{
        {{2}, {false}, {8}},
        {{9}, {false}, {8}},
        {{9}, {true}, {8}},
        {{3}, {true}, {8}},
        {{4}, {true}, {8}},
        {{7, 5}, {false, false}, {8, 8}},
        {{2, 9}, {false, false}, {8, 8}},
        {{3, 3}, {true, true}, {8, 8}},
        {{8, 5}, {true, false}, {100, 7}},
        {{6, 4}, {true, true}, {8, 8}},
        {{2, 6}, {true, true}, {8, 8}},
        {{32, 32}, {false, false}, {8192, 8192}},
        {{5, 6, 7}, {false, false, false}, {8, 8, 8}},
        {{5, 6, 7}, {true, true, true}, {8, 80, 800}},
        {{4, 4, 4}, {true, true, true}, {8, 8, 8}},
        {{2, 2, 2}, {false, false, false}, {8, 8, 8}},
        {{3, 1024}, {false, true}, {8, 9}},
        {{3, 4, 5, 6}, {true, true, true, true}, {8, 8, 8, 8}},
        {{4, 4, 4, 4}, {true, true, true, true}, {49152, 49152, 49152, 49152}},
        {{5, 5, 3, 3}, {false, true, false, true}, {8, 8, 8, 8}},
        {{7, 5}, {false, false}, {8, 8}, true, 8},
        {{7, 5}, {true, true}, {8, 8}, true, 8},
        {{6, 5}, {false, true}, {800, 500}, true, 8},
        {{3, 3}, {false, false}, {8, 8}, true, 8},
        {{5, 4, 6}, {false, false, false}, {32768, 32768, 32768}, true, 512},
        {{5, 4, 6}, {false, false, false}, {8, 8, 8}, true, 8},
        {{5, 4, 6}, {true, true, true}, {8, 8, 8}, true, 8},
        {{3, 3, 3}, {false, false, false}, {8, 8, 8}, true, 8},
        {{2, 5, 6}, {false, true, false}, {800, 900, 800}, true, 8},
        {{4, 5, 3, 5}, {false, false, false, true}, {8, 8, 8, 8}, true, 8},
    };
    int failed = 0;
    for (const Shape& shape : shapes) {
        for (const std::uint64_t seed : {0U, 1U, 2U}) failed += found(shape, seed) ? 0 : 1;
    }
    std::printf("%zu shapes\n", shapes.size());
    return failed;
}

/// A light gather to rank 0 hides no grid, and counts as what it is.
int check_gather() {
    const Shape shape{{6, 7, 8}, {false, true, false}, {4096, 4096, 1024}};
    const std::uint32_t ranks = ranks_of(shape);
    const auto rank_at = shuffled(ranks, 3);
    auto entries = entries_of(shape, rank_at);
    double all = 0;
    for (const auto& entry : entries) all += static_cast<double>(entry.bytes);
    for (std::uint32_t rank = 1; rank < ranks; ++rank) entries.push_back({rank, 0, 64, 1});
    const auto stencil = find_stencil(Pattern(ranks, entries));
    const bool right = stencil && !stencil->exact && coordinates_are_right(shape, rank_at, *stencil) &&
                       stencil->explained < 1 && stencil->explained >= all / (all + 64.0 * (ranks - 1));
    if (!right) std::printf("a gather hides the grid\n");
    return right ? 0 : 1;
}

/// A grid with one pair less, or one more, is none; nor are these.
int check_others() {
    int taken = 0;
    const auto refuse = [&](std::uint32_t ranks, const std::vector<Pattern::Entry>& entries, const char* what) {
        const auto stencil = find_stencil(Pattern(ranks, entries));
        if (stencil && stencil->exact) {
            std::printf("%s: taken for a stencil\n", what);
            ++taken;
        }
    };
    const Shape shapes[] = {{{6, 7}, {false, false}, {8, 8}},
                            {{6, 7}, {true, true}, {8, 8}},
                            {{5, 5, 5}, {false, false, false}, {8, 8, 8}},
                            {{5, 5, 5}, {false, false, false}, {8, 8, 8}, true, 8}};
    std::mt19937_64 random(5);
    for (const Shape& shape : shapes) {
        const std::uint32_t ranks = ranks_of(shape);
        const auto rank_at = shuffled(ranks, 4);
        const auto whole = entries_of(shape, rank_at);
        for (int i = 0; i < 20; ++i) {
            auto entries = whole;
            const Pattern::Entry gone = whole[random() % whole.size()];
            std::erase_if(entries, [&](const Pattern::Entry& entry) {
                return std::minmax(entry.from, entry.to) == std::minmax(gone.from, gone.to);
            });
            refuse(ranks, entries, "one pair less");

            const Pattern pattern(ranks, whole);
            std::uint32_t a = 0;
            std::uint32_t b = 0;
            const auto speak = [&] {
                return std::ranges::any_of(pattern.partners(a), [&](const Partner& other) { return other.rank == b; });
            };
            do {
                a = static_cast<std::uint32_t>(random() % ranks);
                b = static_cast<std::uint32_t>(random() % ranks);
            } while (a == b || speak());
            entries = whole;
            entries.push_back({a, b, 8, 1});
            refuse(ranks, entries, "one pair more");
        }
    }
    // A regular graph, a triangulated square (six neighbours, as in 3-D), a tree, two grids apart, nobody, one rank.
    std::vector<Pattern::Entry> entries;
    for (std::uint32_t i = 0; i < 600; ++i) {
        entries.push_back(
            {static_cast<std::uint32_t>(random() % 100), static_cast<std::uint32_t>(random() % 100), 8, 1});
    }
    refuse(100, entries, "a random graph");
    entries = entries_of({{10, 10}, {true, true}, {8, 8}}, shuffled(100, 0));
    for (std::uint32_t i = 0; i < 100; ++i)
        entries.push_back({i, i / 10 * 10 + i % 10 + (i % 10 < 9 ? 11U : 1U), 8, 1});
    std::erase_if(entries, [](const Pattern::Entry& entry) { return entry.to >= 100; });
    refuse(100, entries, "a triangulated torus");
    entries.clear();
    for (std::uint32_t i = 1; i < 63; ++i) entries.push_back({i, (i - 1) / 2, 8, 1});
    refuse(63, entries, "a tree");
    entries = entries_of({{6, 6}, {false, false}, {8, 8}}, shuffled(36, 0));
    const auto one = entries;
    for (Pattern::Entry entry : one) {
        entry.from += 36;
        entry.to += 36;
        entries.push_back(entry);
    }
    refuse(72, entries, "two grids");
    refuse(10, {}, "silence");
    refuse(1, {}, "one rank");
    return taken;
}

}  // namespace

int main() {
    const int failed = check_shapes() + check_gather() + check_others();
    std::printf("%d failed\n", failed);
    return failed == 0 ? 0 : 1;
}
