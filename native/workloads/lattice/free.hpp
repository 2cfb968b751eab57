/// Closed forms for a lattice whose links are all 1.
#pragma once

#include "workloads/lattice/su3.hpp"

#include <vector>

namespace waywiser::lattice {

/// Eigenvector of D on these links: D e^(ipx) chi = lambda e^(ipx) chi, with lambda = 1 - 2 kappa sum cos p + 2 i kappa
/// sqrt(sum sin^2 p).
struct PlaneWave {
    Index4 extents;
    Index4 half_waves;  ///< half waves on each axis
    Complex eigenvalue;
    Spinor chi;

    [[nodiscard]] Spinor at(const Index4& site) const;
};

/// \param modes        whole numbers of waves on each axis; axis t has another half wave if it is antiperiodic
[[nodiscard]] PlaneWave plane_wave(const Index4& extents, const Index4& modes, bool antiperiodic, double kappa);

/// Returns, for each t, the sum over x, y and z of the squared magnitudes of the solution for a source of colour 0 and
/// spin 0 at the origin. The solution is the inverse Fourier transform of (1 - 2 kappa sum cos p - 2 i kappa sum gamma
/// sin p) / (its square's norm).
/// \param part, parts  part of the spatial momenta over which this call sums
[[nodiscard]] std::vector<double> free_correlator(const Index4& extents, bool antiperiodic, double kappa, Index part,
                                                  Index parts);

}  // namespace waywiser::lattice
