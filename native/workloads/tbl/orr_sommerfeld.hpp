/// The least stable wave of the flow between two plates at rest, driven by a constant pressure gradient.
#pragma once

#include <complex>
#include <vector>

namespace waywiser::tbl {

/// A wave exp(i (alpha x - omega t)) on the profile 1 - y^2 between y = -1 and 1.
class OrrSommerfeld {
public:
    /// Solves by inverse iteration on Chebyshev points, from near the wave of Tollmien and Schlichting.
    OrrSommerfeld(double alpha, double reynolds);

    [[nodiscard]] double growth_rate() const { return alpha_ * speed_.imag(); }
    [[nodiscard]] double frequency() const { return alpha_ * speed_.real(); }

    /// Velocities at x = 0, along and across the plates; the greatest one along them is 1.
    [[nodiscard]] std::complex<double> along(double y) const;
    [[nodiscard]] std::complex<double> across(double y) const;

private:
    double alpha_;
    std::complex<double> speed_;
    std::vector<double> nodes_;
    std::vector<std::complex<double>> along_, across_;  ///< values at the nodes
};

}  // namespace waywiser::tbl
