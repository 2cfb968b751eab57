/// The least stable wave of plane Poiseuille flow: plates at rest, and a constant pressure gradient.
#pragma once

#include <complex>
#include <vector>

namespace waywiser::tbl {

/// A wave exp(i (alpha x - omega t)) on the profile 1 - y^2 between y = -1 and 1.
class OrrSommerfeld {
public:
    /// Solves by inverse iteration on Chebyshev points, starting near the Tollmien-Schlichting wave.
    OrrSommerfeld(double alpha, double reynolds);

    [[nodiscard]] double growth_rate() const { return alpha_ * speed_.imag(); }
    [[nodiscard]] double frequency() const { return alpha_ * speed_.real(); }

    /// Velocities at x = 0 along and across the plates, scaled to a greatest absolute value of 1 along the plates.
    [[nodiscard]] std::complex<double> along(double y) const;
    [[nodiscard]] std::complex<double> across(double y) const;

private:
    double alpha_;
    std::complex<double> speed_;
    std::vector<double> nodes_;
    std::vector<std::complex<double>> along_, across_;  ///< values at the nodes
};

}  // namespace waywiser::tbl
