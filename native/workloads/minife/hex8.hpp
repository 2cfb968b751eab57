/// Stiffness matrix and load vector of trilinear hexahedra, several at a time, from their node coordinates.
#pragma once

#include <array>
#include <cstddef>

namespace waywiser::minife {

/// Elements are integrated side by side, one in each lane of a register (or of several narrow ones).
constexpr std::size_t lanes = 8;
using Lanes = double __attribute__((vector_size(lanes * sizeof(double))));

/// Node m of an element has bits (x, y, z) = (m & 1, m >> 1 & 1, m >> 2 & 1). This is the order of the matrix rows, so
/// that assembly adds pairs of neighbours in x. (miniFE numbers counter-clockwise; the sums are the same.)
constexpr std::size_t corners = 8;
constexpr std::size_t upper_entries = corners * (corners + 1) / 2;

struct HexBatch {
    Lanes coordinate[corners][3];
};

struct HexIntegrals {
    Lanes stiffness[upper_entries];  ///< upper triangle, row after row: integral of grad psi_m . grad psi_n
    Lanes load[corners];             ///< integral of psi_m
};

/// Place of (m, n) in the upper triangle; symmetric.
constexpr std::size_t upper_entry(std::size_t m, std::size_t n) {
    const std::size_t i = m < n ? m : n;
    const std::size_t j = m < n ? n : m;
    return i * (2 * corners - i - 1) / 2 + j;
}

/// Integrates with 2 x 2 x 2 Gauss points, conductivity 1 and source 1. Elements need not be bricks.
void integrate(const HexBatch& batch, HexIntegrals& integrals);

/// Floating-point operations that `integrate` performs for one element.
extern const int integrate_flops;

}  // namespace waywiser::minife
