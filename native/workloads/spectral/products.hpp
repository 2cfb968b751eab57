/// Matrix products in the Legendre transforms of one wave number. The functions never change, and the other factor has
/// few columns. A BLAS library would spend much of its time on packing its arguments, so functions are stored here in
/// the order in which the products read them.
#pragma once

#include "workloads/common/cartesian.hpp"

#include <array>

namespace waywiser::spectral {

/// Number of rings whose values of a function are contiguous.
inline constexpr Index rings_a_block = 6;

[[nodiscard]] inline Index blocks(Index rings) { return (rings + rings_a_block - 1) / rings_a_block; }

/// Largest number of columns that a kernel processes at a time; every kernel's number is a divisor.
inline constexpr Index greatest_panel = 16;

/// Arrays of two are indexed by the parity of the degree minus the wave number.
struct Product {
    Index rings;                   ///< rings that carry the wave number
    std::array<Index, 2> degrees;  ///< degrees in the product
    std::array<Index, 2> stored;   ///< degrees whose functions are stored
    /// indexed by block, degree and ring of a block; 0 on rings beyond the last one
    std::array<const double*, 2> functions;
    Index values;   ///< number of values of a coefficient
    Index columns;  ///< distance between coefficients: a multiple of greatest_panel
    std::array<double*, 2> coefficients;
    double* const* north;  ///< by ring: values of the wave number
    double* const* south;
    const double* weights;  ///< quadrature weights by ring, for direct transforms
    double* room;           ///< scratch memory for 2 * rings rows of columns, or for one row per degree if more
};

/// Computes the values on rings of both hemispheres from the coefficients. The result of a field is bitwise independent
/// of the other fields.
void synthesise(const Product& product);

/// Computes the coefficients from the values on rings.
void analyse(const Product& product);

}  // namespace waywiser::spectral
