/// The barotropic vorticity equation on a rotating sphere, starting on each level from a Rossby-Haurwitz wave or from a
/// triad of harmonics that interact.
#pragma once

#include "workloads/spectral/settings.hpp"
#include "workloads/spectral/truth.hpp"

#include <complex>

namespace waywiser::spectral {

/// Angular velocity of the earth [1/s].
inline constexpr double earth_rotation = 7.292e-5;

/// One spherical harmonic on top of solid rotation, which is an exact solution: only the harmonic's phase changes.
/// Source: B. Haurwitz, "The motion of atmospheric disturbances on the spherical earth", J. Marine Res. 3 (1940).
struct Wave {
    Harmonic harmonic;
    double omega;      ///< angular velocity of the solid rotation [1/s]
    double frequency;  ///< rate at which the harmonic's phase decreases [1/s]
    double amplitude;  ///< the wave's coefficient at the start [1/s]

    /// Each level has its own angular velocity, so that swapped fields are detected.
    static Wave of(const Settings& settings, Index level);
    [[nodiscard]] double solid() const;  ///< coefficient of degree 1 and wave number 0
};

/// Errors relative to the wave's amplitude, the greatest of all levels of this rank.
struct WaveErrors {
    double wave = 0;       ///< difference from the exact coefficient
    double amplitude = 0;  ///< difference from the exact magnitude
    double leak = 0;       ///< largest error of all other coefficients
    double phase = 0;      ///< phase of level 0 [rad], on the rank with that coefficient
};

/// Energy and enstrophy of each level, without constant factors: sums over harmonics, which the equation conserves at
/// each truncation.
struct Invariants {
    std::vector<double> energy, enstrophy;
};

/// Relative changes of the invariants, the greatest of all levels.
struct Drift {
    double energy = 0;
    double enstrophy = 0;
};
[[nodiscard]] Drift drift(const Invariants& before, const Invariants& after);

class Vorticity {
public:
    Vorticity(const Machinery& machinery, const Settings& settings);

    /// Advances by one step of the classical Runge-Kutta method. Collective.
    void step();
    /// Errors of a run that started from a wave.
    [[nodiscard]] WaveErrors errors(double time) const;
    /// This rank's part of the sums, for all levels.
    [[nodiscard]] Invariants invariants() const;
    /// Values of vorticity and winds of the last stage on the grid.
    [[nodiscard]] std::vector<double> probes() const;
    /// Checksum of vorticity and winds of the last stage on the grid.
    [[nodiscard]] std::uint64_t checksum() const;
    /// Flops of the Legendre transforms in a step.
    [[nodiscard]] double legendre_flops() const { return 4 * (winds_.legendre_flops() + products_.legendre_flops()); }

private:
    [[nodiscard]] std::complex<double> at_start(Index level, const Harmonic& harmonic) const;
    void tendency(const Array<double>& vorticity);
    void fill_winds(const Array<double>& vorticity);
    void multiply();
    void differentiate();
    template <class Body>
    void each_coefficient(Body body) const;

    Machinery m_;
    const Settings& settings_;
    Spectrum spectrum_;
    Transform winds_;     ///< transforms of vorticity and of the wind's components times the cosine
    Transform products_;  ///< transforms of the wind's components times absolute vorticity, divided by the cosine
    Array<double> vorticity_, stage_, sum_, tendency_;
    Array<double> wind_spectrum_, product_spectrum_, wind_points_, product_points_;
};

/// Bound of the wave's error: that of the time steps, and an allowance for round-off.
[[nodiscard]] double allowed_wave_error(const Settings& settings);
/// Bound of `Drift`: that of the time steps, and an allowance for round-off.
[[nodiscard]] double allowed_drift(const Settings& settings);

}  // namespace waywiser::spectral
