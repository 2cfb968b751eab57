/// The fields of ww-grid, and the expected results of its kernels, in integers.
///
/// A point of the whole grid has a residue, (i1 + 3 i2 + 7 i3) mod 127. Every field is a table over the residues, of
/// integers times a power of two, so that sums are exact in any order. The frequency of a residue in a box follows from
/// the three axes without visiting every point.
#pragma once

#include "workloads/grid/kernels.hpp"

#include <array>
#include <cstdint>

namespace waywiser::grid {

constexpr int residues = 127;

/// 128 times the values of w, r and l at a point of the residue: every number from -63 to 63, times 2 for r and times 4
/// for l.
[[nodiscard]] constexpr int w_128(int residue) { return residue * 37 % residues - 63; }
[[nodiscard]] constexpr int r_128(int residue) { return 2 * (residue * 53 % residues - 63); }
[[nodiscard]] constexpr int l_128(int residue) { return 4 * (residue * 71 % residues - 63); }
/// Value of c, a power of two so that products are exact.
[[nodiscard]] constexpr double c_value(int residue) { return residue % 2 == 0 ? 0.25 : 0.5; }

[[nodiscard]] constexpr int residue_of(const Index3& point) {
    return static_cast<int>((point[0] + 3 * point[1] + 7 * point[2]) % residues);
}

/// The number of points of a box for each residue.
[[nodiscard]] std::array<std::int64_t, residues> count_residues(const Region& box);

/// The expected result of `reduce` on a nonempty box. l1_error, sum_abs, sum_abs_difference, max and min are exact.
[[nodiscard]] Reduced expected(Operation operation, const Region& box);

}  // namespace waywiser::grid
