#include "workloads/grid/truth.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <limits>

namespace waywiser::grid {

std::array<std::int64_t, residues> count_residues(const Region& box) {
    constexpr std::array<Index, 3> factors{1, 3, 7};
    std::array<std::int64_t, residues> counts{1};  // Without any axis, residue 0 occurs once.
    for (std::size_t axis = 0; axis < 3; ++axis) {
        std::array<std::int64_t, residues> of_axis{};
        for (Index i = box.lo[axis]; i < box.hi[axis]; ++i) {
            ++of_axis[static_cast<std::size_t>(factors[axis] * i % residues)];
        }
        std::array<std::int64_t, residues> both{};
        for (std::size_t a = 0; a < residues; ++a) {
            for (std::size_t b = 0; b < residues; ++b) both[(a + b) % residues] += counts[a] * of_axis[b];
        }
        counts = both;
    }
    return counts;
}

Reduced expected(Operation operation, const Region& box) {
    std::int64_t sum_w = 0;
    std::int64_t sum_r = 0;
    std::int64_t sum_difference = 0;
    int greatest = std::numeric_limits<int>::min();
    int least = std::numeric_limits<int>::max();
    double error = 0;
    const std::array<std::int64_t, residues> counts = count_residues(box);
    for (int residue = 0; residue < residues; ++residue) {
        const std::int64_t count = counts[static_cast<std::size_t>(residue)];
        if (count == 0) continue;
        const int w = w_128(residue);
        const int r = r_128(residue);
        sum_w += count * std::abs(w);
        sum_r += count * std::abs(r);
        sum_difference += count * std::abs(w - r);
        greatest = std::max(greatest, w);
        least = std::min(least, w);
        const double size = r == 0 ? 128 : std::abs(r);  // The error is absolute if the reference is 0.
        error = std::max(error, std::abs(w - r) / size);
    }
    const auto value = [](auto in_128) { return static_cast<double>(in_128) / 128; };
    switch (operation) {
        case Operation::max_error: return {error, 0};
        case Operation::l1_error: return {value(sum_difference), value(sum_r)};
        case Operation::sum_abs: return {value(sum_w), 0};
        case Operation::sum_abs_difference: return {value(sum_difference), 0};
        case Operation::max: return {value(greatest), 0};
        case Operation::min: return {value(least), 0};
        default: return {};
    }
}

}  // namespace waywiser::grid
