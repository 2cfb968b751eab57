/// Products of matrices in the Legendre transforms of one wave number. The functions never change, and one side of a
/// product has few columns. A BLAS library would spend much of its time on rearranging its arguments, so functions are
/// stored here in the order in which the products read them.
#pragma once

#include "workloads/common/cartesian.hpp"

#include <array>

namespace waywiser::spectral {

/// Rings whose values of a function lie together.
inline constexpr Index rings_a_block = 6;

[[nodiscard]] inline Index blocks(Index rings) { return (rings + rings_a_block - 1) / rings_a_block; }

/// Largest number of columns that a kernel processes at a time; the number of each kernel divides it.
inline constexpr Index greatest_panel = 16;

/// Arrays of two hold degrees an even number above the wave number, then degrees an odd number above it.
struct Product {
    Index rings;                   ///< rings that carry the wave number
    std::array<Index, 2> degrees;  ///< degrees in the product
    std::array<Index, 2> stored;   ///< degrees of which functions are stored
    /// indexed by block, degree and ring of a block; 0 on rings beyond the last one
    std::array<const double*, 2> functions;
    Index values;   ///< number of values of a coefficient
    Index columns;  ///< distance between coefficients: a multiple of greatest_panel
    std::array<double*, 2> coefficients;
    double* const* north;  ///< by ring: values of the wave number
    double* const* south;
    const double* weights;  ///< weights by ring, with which direct transforms sum
    double* room;  ///< memory for twice as many rows of columns as there are rings, or for as many as there are degrees
};

/// Computes the values on rings of both hemispheres from the coefficients. A field's values do not depend on its
/// neighbours, bit for bit.
void synthesise(const Product& product);

/// Computes the coefficients from the values on rings.
void analyse(const Product& product);

}  // namespace waywiser::spectral
