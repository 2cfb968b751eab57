/// Associated Legendre functions on the latitudes, orthonormal on [-1, 1].
#pragma once

#include "workloads/common/array.hpp"
#include "workloads/spectral/layout.hpp"
#include "workloads/spectral/products.hpp"

namespace waywiser::spectral {

/// Coefficient of the recurrence epsilon(n) P_n = mu P_(n-1) - epsilon(n-1) P_(n-2).
[[nodiscard]] double epsilon(Index degree, Index wave);

/// Number of degrees from a wave number to `greatest` whose difference from the wave number is `parity`, modulo 2.
[[nodiscard]] inline Index degrees(Index wave, Index parity, Index greatest) {
    return greatest < wave + parity ? 0 : (greatest - wave - parity) / 2 + 1;
}

/// Functions of some wave numbers. Degrees go up to one above the truncation, as wind components require.
class Legendre {
public:
    Legendre(const Grid& grid, const Gauss& gauss, const std::vector<Index>& waves);

    [[nodiscard]] const std::vector<Index>& waves() const { return waves_; }
    [[nodiscard]] Index greatest_degree() const { return grid_.truncation() + 1; }
    /// Functions of a wave number on the rings that carry it, in the order of Product::functions.
    [[nodiscard]] const double* functions(std::size_t number, Index parity) const {
        return values_.data() + begin_[2 * number + static_cast<std::size_t>(parity)];
    }
    [[nodiscard]] Index stored(std::size_t number, Index parity) const {
        return degrees(waves_[number], parity, greatest_degree());
    }
    /// Greatest deviation of a wave number's functions from orthonormality under Gaussian weights, up to the
    /// truncation.
    [[nodiscard]] double defect(std::size_t number, const Gauss& gauss) const;

private:
    /// Index of a value among the values of its wave number and parity.
    [[nodiscard]] static Index place(Index ring, Index degree, Index stored) {
        return (ring / rings_a_block * stored + degree) * rings_a_block + ring % rings_a_block;
    }

    Grid grid_;
    std::vector<Index> waves_;
    std::vector<Index> begin_;  ///< start of the values, by wave number and parity
    Array<double> values_;
};

}  // namespace waywiser::spectral
