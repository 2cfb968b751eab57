/// A round trip of random coefficients to the grid and back, through all three transpositions.
#pragma once

#include "workloads/spectral/columns.hpp"
#include "workloads/spectral/truth.hpp"

namespace waywiser::spectral {

class RoundTrip {
public:
    RoundTrip(const Machinery& machinery, std::uint64_t seed);

    /// Collective.
    void run();
    /// The greatest change of a coefficient in the last round trip, on this rank.
    [[nodiscard]] double error() const;
    /// Checksum of the last round trip's values on the grid, on this rank.
    [[nodiscard]] std::uint64_t checksum() const;
    /// Values on the grid as in `grid_probes`.
    [[nodiscard]] std::vector<double> probes() const;
    [[nodiscard]] double legendre_flops() const { return 2 * transform_.legendre_flops(); }

private:
    Machinery m_;
    Transform transform_;
    Columns columns_;
    Array<double> start_, end_, spectrum_, points_;
};

/// Random real and imaginary part from -1 to 1. Coefficients of wave number 0 are real.
[[nodiscard]] std::array<double, 2> random_coefficient(std::uint64_t seed, Index level, const Harmonic& harmonic);

}  // namespace waywiser::spectral
