#include "workloads/minife/decomposition.hpp"

#include "base/error.hpp"

#include <cstdio>
#include <string>

namespace waywiser::minife {
namespace {

struct RankRange {
    int first;
    int count;

    /// First rank of the upper half; unique to this cut, hence also its number.
    [[nodiscard]] int middle() const { return first + count / 2; }
    [[nodiscard]] RankRange lower() const { return {first, count / 2}; }
    [[nodiscard]] RankRange upper() const { return {middle(), count - count / 2}; }
};

/// `shifts[m]` is the number of layers by which the cut below rank m moves up.
void bisect(const Box& box, RankRange ranks, std::size_t axis, std::span<const Index> shifts, std::span<Box> boxes) {
    if (ranks.count == 1) {
        boxes[static_cast<std::size_t>(ranks.first)] = box;
        return;
    }
    const Index layers = box.hi[axis] - box.lo[axis];
    const Index upper_layers = layers * ranks.upper().count / ranks.count;
    Box lower = box;
    Box upper = box;
    lower.hi[axis] = upper.lo[axis] = box.hi[axis] - upper_layers + shifts[static_cast<std::size_t>(ranks.middle())];
    const std::size_t next = (axis + 2) % 3;
    bisect(lower, ranks.lower(), next, shifts, boxes);
    bisect(upper, ranks.upper(), next, shifts, boxes);
}

std::vector<Box> bisected(const Index3& elements, int ranks, std::span<const Index> shifts) {
    std::vector<Box> boxes(static_cast<std::size_t>(ranks));
    bisect({.lo = {}, .hi = elements}, {0, ranks}, 2, shifts, boxes);
    return boxes;
}

std::vector<Box>::const_iterator largest_of(const std::vector<Box>& boxes) {
    return std::ranges::max_element(boxes, {}, &Box::volume);
}

bool any_empty(const std::vector<Box>& boxes) {
    return std::ranges::any_of(boxes, [](const Box& box) { return box.volume() == 0; });
}

/// Grows the largest box by one layer. \return false if no cut around it can move
bool grow_largest(const Index3& elements, std::vector<Index>& shifts, std::vector<Box>& boxes) {
    const auto largest = largest_of(boxes);
    const int rank = static_cast<int>(largest - boxes.begin());
    const int ranks = static_cast<int>(boxes.size());
    std::vector<int> cuts;
    for (RankRange range{0, ranks}; range.count > 1;) {
        cuts.push_back(range.middle());
        range = rank < range.middle() ? range.lower() : range.upper();
    }
    for (auto cut = cuts.rbegin(); cut != cuts.rend(); ++cut) {
        Index& shift = shifts[static_cast<std::size_t>(*cut)];
        const Index before = shift;
        shift += rank < *cut ? 1 : -1;
        std::vector<Box> moved = bisected(elements, ranks, shifts);
        if (!any_empty(moved) && largest_of(moved)->volume() > largest->volume()) {
            boxes = std::move(moved);
            return true;
        }
        shift = before;
    }
    return false;
}

}  // namespace

double load_imbalance_percent(std::span<const Box> boxes) {
    double total = 0;
    double largest = 0;
    for (const Box& box : boxes) {
        total += static_cast<double>(box.volume());
        largest = std::max(largest, static_cast<double>(box.volume()));
    }
    return 100.0 * (largest * static_cast<double>(boxes.size()) / total - 1.0);
}

std::vector<Box> decompose(const Index3& elements, int ranks, double target_percent) {
    std::vector<Index> shifts(static_cast<std::size_t>(ranks), 0);
    std::vector<Box> boxes = bisected(elements, ranks, shifts);
    for (std::size_t rank = 0; rank < boxes.size(); ++rank) {
        require(boxes[rank].volume() > 0, "rank " + std::to_string(rank) + " would have no element: give fewer than " +
                                              std::to_string(ranks) + " ranks, or more than " +
                                              std::to_string(elements[0]) + " x " + std::to_string(elements[1]) +
                                              " x " + std::to_string(elements[2]) + " elements");
    }
    // A single rank cannot be imbalanced; miniFE also ignores the option in that case.
    while (ranks > 1 && load_imbalance_percent(boxes) < target_percent) {
        if (!grow_largest(elements, shifts, boxes)) {
            std::array<char, 32> reached{};
            std::snprintf(reached.data(), reached.size(), "%.1f %%", load_imbalance_percent(boxes));
            throw InvalidInput("--load-imbalance: this mesh on " + std::to_string(ranks) + " ranks reaches at most " +
                               reached.data() + "; give less, or more elements");
        }
    }
    return boxes;
}

}  // namespace waywiser::minife
