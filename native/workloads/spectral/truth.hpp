/// Values by which runs on any grid of ranks can be compared, and the errors that a run may have.
#pragma once

#include "workloads/spectral/transform.hpp"

namespace waywiser::spectral {

/// NaN is the greatest.
[[nodiscard]] inline double greater(double a, double b) { return b <= a ? a : b; }

/// A sum, modulo 2^64, over all values of this rank, each mixed with its place. The sum over all ranks shows whether
/// two runs have the same values, bit for bit.
[[nodiscard]] std::uint64_t grid_checksum(const Machinery& machinery, Index kinds, const Points& points,
                                          const double* values);

inline constexpr Index probed_latitudes = 8;

/// Values of the first and the last level of each kind at some latitudes; 0 for latitudes on other ranks.
[[nodiscard]] std::vector<double> grid_probes(const Machinery& machinery, Index kinds, const Points& points,
                                              const double* values);

/// The deviation from orthonormality of the Legendre functions of three of this rank's wave numbers.
[[nodiscard]] double orthonormality(const Machinery& machinery);

}  // namespace waywiser::spectral
