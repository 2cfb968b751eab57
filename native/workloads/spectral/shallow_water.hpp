/// The shallow-water equations on a sphere, in vorticity, divergence and geopotential, with implicit gravity waves.
#pragma once

#include "workloads/spectral/settings.hpp"
#include "workloads/spectral/truth.hpp"

#include <complex>

namespace waywiser::spectral {

/// Initial state of a run, which determines what is known of its result.
enum class Start {
    steady,        ///< solid rotation, balanced by its geopotential and therefore stationary
    gravity_wave,  ///< one harmonic at rest without the earth's rotation, whose frequency is known
    unsteady       ///< solid rotation and random harmonics, which conserve mass
};

/// The greatest errors of all levels of this rank, relative to the initial state.
struct WaterErrors {
    double state = 0;  ///< greatest error of a coefficient; 0 if no exact solution is known
    double mass = 0;
};

class ShallowWater {
public:
    ShallowWater(const Machinery& machinery, const Settings& settings, Start start);

    /// Advances by one step. Heun's method integrates the nonlinear terms; predictor and corrector both treat gravity
    /// waves by Crank-Nicolson. Collective.
    void step();
    [[nodiscard]] WaterErrors errors() const;
    /// Checksum of the last stage's values on the grid.
    [[nodiscard]] std::uint64_t checksum() const;
    [[nodiscard]] std::vector<double> probes() const;
    /// Flops of the Legendre transforms in a step.
    [[nodiscard]] double legendre_flops() const;

private:
    /// Initial state of a level, on the unit sphere.
    struct Level {
        double omega;  ///< angular velocity of the solid rotation [1/s]
        double mean;   ///< mean geopotential [1/s^2]
        double slope;  ///< coefficient of -mu^2 in the geopotential [1/s^2]
        [[nodiscard]] double solid_vorticity() const;
    };
    using Triple = std::array<std::complex<double>, 3>;

    [[nodiscard]] Level level(Index number) const;
    [[nodiscard]] Triple at_start(Index level, const Harmonic& harmonic) const;
    /// The exact state after the steps so far.
    [[nodiscard]] Triple exact(Index level, const Harmonic& harmonic) const;
    /// Magnitudes of vorticity, divergence and geopotential that errors are relative to.
    [[nodiscard]] std::array<double, 3> scales(Index level) const;
    [[nodiscard]] double rotation() const;
    void tendency(bool corrects);
    void fill_winds();
    void multiply();
    void differentiate(bool corrects);
    void solve();
    [[nodiscard]] Index values() const { return spectrum_.values() / 3; }

    Machinery m_;
    const Settings& settings_;
    Start start_;
    Index steps_ = 0;
    Spectrum spectrum_;  ///< coefficients of vorticity, divergence and geopotential
    Transform winds_;    ///< transforms of vorticity, geopotential, and the wind's components times the cosine
    /// transforms of the wind times absolute vorticity and times geopotential, and of kinetic energy
    Transform products_;
    Array<double> state_, stage_, tendency_;
    Array<double> wind_spectrum_, product_spectrum_, wind_points_, product_points_;
};

}  // namespace waywiser::spectral
