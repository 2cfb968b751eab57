/// Values that compare runs on different rank grids, and the orthonormality of Legendre functions.
#pragma once

#include "workloads/common/greatest.hpp"
#include "workloads/spectral/transform.hpp"

namespace waywiser::spectral {

/// Sum modulo 2^64 over all values of this rank, each hashed with its position. The sum over all ranks shows whether
/// two runs have the same values, bit for bit.
[[nodiscard]] std::uint64_t grid_checksum(const Machinery& machinery, Index kinds, const Points& points,
                                          const double* values);

inline constexpr Index probed_latitudes = 8;

/// Values of the first and the last level of each kind at some latitudes; 0 for latitudes on other ranks.
[[nodiscard]] std::vector<double> grid_probes(const Machinery& machinery, Index kinds, const Points& points,
                                              const double* values);

/// Greatest deviation from orthonormality of the Legendre functions of three wave numbers, where this rank has them.
[[nodiscard]] double orthonormality(const Machinery& machinery);

}  // namespace waywiser::spectral
