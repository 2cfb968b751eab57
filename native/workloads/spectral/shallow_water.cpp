#include "workloads/spectral/shallow_water.hpp"

#include "workloads/spectral/derivatives.hpp"
#include "workloads/spectral/pattern.hpp"
#include "workloads/spectral/round_trip.hpp"
#include "workloads/spectral/vorticity.hpp"

#include <algorithm>
#include <cmath>

namespace waywiser::spectral {
namespace {

constexpr Index state_kinds = 3;

constexpr double gravity = 9.80616;   // [m/s^2]
constexpr double radius = 6.37122e6;  // [m]
/// Amplitude of a gravity wave relative to the mean geopotential, at which products of two waves vanish in round-off.
constexpr double wave_height = 1e-15;
/// Amplitude of random harmonics relative to the steady state, before the decrease with their degree.
constexpr double disturbance = 0.1;

double laplacian(Index degree) { return static_cast<double>(degree * (degree + 1)); }

Array<double> zeroed(Index size) {
    Array<double> values(static_cast<std::size_t>(size));
    std::fill_n(values.data(), values.size(), 0.0);
    return values;
}

}  // namespace

/// Coefficient of the vorticity 2 omega mu, where mu is sqrt(2/3) times the normalised function.
double ShallowWater::Level::solid_vorticity() const { return 2 * omega * std::sqrt(2.0 / 3); }

/// Each level has its own angular velocity and depth, so that swapped fields are detected.
ShallowWater::Level ShallowWater::level(Index number) const {
    const double more = 1 + static_cast<double>(number) / 1000;
    const double omega = settings_.omega * more;
    return {.omega = omega,
            .mean = gravity * settings_.depth * more / (radius * radius),
            .slope = earth_rotation * omega + omega * omega / 2};
}

double ShallowWater::rotation() const { return start_ == Start::gravity_wave ? 0 : earth_rotation; }

std::array<double, 3> ShallowWater::scales(Index number) const {
    const Level layer = level(number);
    if (start_ != Start::gravity_wave) {
        const double vorticity = std::abs(layer.solid_vorticity());
        return {vorticity, vorticity, std::abs(layer.slope)};
    }
    const double height = wave_height * layer.mean;
    const double divergence = height * std::sqrt(laplacian(settings_.wave_degree) / layer.mean);
    return {divergence, divergence, height};
}

/// The second case of D. L. Williamson et al., "A standard test set for numerical approximations to the shallow water
/// equations in spherical geometry", J. Comput. Phys. 102 (1992). Here mu^2 is 1/3 + 2/3 P_2, and the normalised
/// functions of degrees 0 and 2 are sqrt(1/2) and sqrt(5/2) times the Legendre polynomials.
ShallowWater::Triple ShallowWater::at_start(Index number, const Harmonic& h) const {
    Triple triple{};
    const Level layer = level(number);
    if (start_ == Start::gravity_wave) {
        if (h.wave == settings_.wave_number && h.degree == settings_.wave_degree) triple[2] = wave_height * layer.mean;
        return triple;
    }
    if (h.wave == 0 && h.degree == 0) triple[2] = -layer.slope / 3 * std::sqrt(2.0);
    if (h.wave == 0 && h.degree == 1) triple[0] = layer.solid_vorticity();
    if (h.wave == 0 && h.degree == 2) triple[2] = -layer.slope * 2 / 3 * std::sqrt(2.0 / 5);
    if (start_ == Start::steady || h.degree == 0) return triple;
    for (std::size_t kind = 0; kind < triple.size(); ++kind) {
        const auto seed = static_cast<std::uint64_t>(settings_.seed) + kind;
        const auto [real, imaginary] = random_coefficient(seed, number, h);
        triple[kind] +=
            disturbance / (1 + laplacian(h.degree)) * scales(number)[kind] * std::complex<double>(real, imaginary);
    }
    return triple;
}

/// A Crank-Nicolson step advances the phase of a wave of frequency omega by 2 atan(omega dt / 2).
ShallowWater::Triple ShallowWater::exact(Index number, const Harmonic& h) const {
    Triple triple = at_start(number, h);
    if (start_ != Start::gravity_wave) return triple;
    const double frequency = std::sqrt(laplacian(h.degree) * level(number).mean);
    const double phase = static_cast<double>(steps_) * 2 * std::atan(frequency * settings_.dt / 2);
    if (h.degree > 0) triple[1] = triple[2] * laplacian(h.degree) / frequency * std::sin(phase);
    triple[2] *= std::cos(phase);
    return triple;
}

ShallowWater::ShallowWater(const Machinery& machinery, const Settings& settings, Start start)
    : m_(machinery),
      settings_(settings),
      start_(start),
      spectrum_(m_, state_kinds),
      winds_(m_, shallow_water_traffic.there, 1),
      products_(m_, shallow_water_traffic.back, 1),
      state_(zeroed(spectrum_.size())),
      stage_(zeroed(spectrum_.size())),
      tendency_(zeroed(spectrum_.size())),
      wind_spectrum_(zeroed(winds_.spectrum().size())),
      product_spectrum_(zeroed(products_.spectrum().size())),
      wind_points_(zeroed(winds_.points().size())),
      product_points_(zeroed(products_.points().size())) {
    const Range levels = m_.layout->levels(m_.teams->v());
    each_degree(m_, m_.layout->grid().truncation(), [&](std::size_t number, Index wave, Index degree) {
        double* to = state_.data() + spectrum_.at(number, wave, degree);
        for (Index level_number = levels.begin; level_number < levels.end; ++level_number, to += 2) {
            const Triple values_there = at_start(level_number, {wave, degree});
            for (Index kind = 0; kind < state_kinds; ++kind) {
                const std::complex<double> value = values_there[static_cast<std::size_t>(kind)];
                to[kind * values()] = value.real();
                to[kind * values() + 1] = value.imag();
            }
        }
    });
}

double ShallowWater::legendre_flops() const {
    return static_cast<double>(shallow_water_traffic.stages) * (winds_.legendre_flops() + products_.legendre_flops());
}

/// Computes winds from the potentials psi and chi of vorticity and divergence: u cos = d chi / d lambda - H psi and v
/// cos = d psi / d lambda + H chi.
void ShallowWater::fill_winds() {
    const Index count = values();
    const Index truncation = m_.layout->grid().truncation();
    each_degree(m_, truncation + 1, [&](std::size_t number, Index wave, Index degree) {
        const auto vorticity = [&](Index n) { return stage_.data() + spectrum_.at(number, wave, n); };
        const auto divergence = [&](Index n) { return vorticity(n) + count; };
        const Gradient psi(wave, degree, truncation, vorticity);
        const Gradient chi(wave, degree, truncation, divergence);
        double* const out = wind_spectrum_.data() + winds_.spectrum().at(number, wave, degree);
        for (Index c = 0; c < count; ++c) {
            out[c] = degree <= truncation ? vorticity(degree)[c] : 0;
            out[count + c] = degree <= truncation ? vorticity(degree)[2 * count + c] : 0;
            out[2 * count + c] = chi.eastward(c) - psi.northward(c);
            out[3 * count + c] = psi.eastward(c) + chi.northward(c);
        }
    });
}

void ShallowWater::multiply() {
    each_circle(m_, [&](const Circle& circle) {
        const Index there = circle.values;
        const double coriolis = 2 * rotation() * circle.mu;
        const double factor = circle.over_square;
        const double* const vorticity = wind_points_.data() + winds_.points().begin(circle.number);
        const double* const geopotential = vorticity + there;
        const double* const u = vorticity + 2 * there;
        const double* const v = vorticity + 3 * there;
        double* const out = product_points_.data() + products_.points().begin(circle.number);
        for (Index i = 0; i < there; ++i) {
            const double absolute = factor * (vorticity[i] + coriolis);
            out[i] = u[i] * absolute;
            out[there + i] = v[i] * absolute;
            out[2 * there + i] = u[i] * factor * geopotential[i];
            out[3 * there + i] = v[i] * factor * geopotential[i];
            out[4 * there + i] = factor * (u[i] * u[i] + v[i] * v[i]) / 2;
        }
    });
}

/// The tendencies of vorticity and geopotential are minus the divergences of their fluxes. The tendency of divergence
/// is the curl of the vorticity flux minus the Laplacian of kinetic energy. The curl is the divergence of the flux
/// rotated by a right angle.
void ShallowWater::differentiate(bool corrects) {
    const Index count = values();
    each_degree(m_, m_.layout->grid().truncation(), [&](std::size_t number, Index wave, Index degree) {
        const auto flux = [&](Index part) {
            return [this, number, wave, count, part](Index n) {
                return product_spectrum_.data() + products_.spectrum().at(number, wave, n) + part * count;
            };
        };
        const Convergence along(wave, degree, flux(0), flux(1));
        const Convergence turned(wave, degree, flux(1), flux(0));
        const Convergence of_geopotential(wave, degree, flux(2), flux(3));
        const double* const energy = flux(4)(degree);
        const double k = laplacian(degree);
        double* const out = tendency_.data() + spectrum_.at(number, wave, degree);
        const auto put = [&](Index c, double value) { out[c] = corrects ? (out[c] + value) / 2 : value; };
        for (Index c = 0; c < count; ++c) {
            put(c, along.eastward(c) + along.northward(c));
            put(count + c, turned.northward(c) - turned.eastward(c) + k * energy[c]);
            put(2 * count + c, of_geopotential.eastward(c) + of_geopotential.northward(c));
        }
    });
}

void ShallowWater::tendency(bool corrects) {
    Stopwatch watch;
    fill_winds();
    m_.sections->points += watch.lap_s();
    winds_.inverse(wind_spectrum_.data(), wind_points_.data());
    watch.lap_s();
    multiply();
    m_.sections->points += watch.lap_s();
    products_.direct(product_points_.data(), product_spectrum_.data());
    watch.lap_s();
    differentiate(corrects);
    m_.sections->points += watch.lap_s();
}

/// Solves for gravity waves by Crank-Nicolson, with h as half the time step. At both ends of the step, divergence D
/// decreases by h times the Laplacian of geopotential P, which is -n (n + 1) P. P decreases by h times the mean times
/// D. The resulting Helmholtz equation for D is diagonal in spectral space.
void ShallowWater::solve() {
    const Index count = values();
    const Index first = m_.layout->levels(m_.teams->v()).begin;
    const double dt = settings_.dt;
    const double half = dt / 2;
    each_degree(m_, m_.layout->grid().truncation(), [&](std::size_t number, Index wave, Index degree) {
        const Index place = spectrum_.at(number, wave, degree);
        const double* const old = state_.data() + place;
        const double* const slope = tendency_.data() + place;
        double* const out = stage_.data() + place;
        const double k = laplacian(degree);
        for (Index c = 0; c < count; ++c) {
            const double mean = level(first + c / 2).mean;
            const double d = old[count + c] + dt * slope[count + c] + half * k * old[2 * count + c];
            const double p = old[2 * count + c] + dt * slope[2 * count + c] - half * mean * old[count + c];
            out[c] = old[c] + dt * slope[c];
            out[count + c] = (d + half * k * p) / (1 + half * half * k * mean);
            out[2 * count + c] = p - half * mean * out[count + c];
        }
    });
}

void ShallowWater::step() {
    std::copy_n(state_.data(), state_.size(), stage_.data());
    for (const bool corrects : {false, true}) {
        tendency(corrects);
        Stopwatch watch;
        solve();
        m_.sections->points += watch.lap_s();
    }
    std::swap(state_, stage_);
    ++steps_;
}

WaterErrors ShallowWater::errors() const {
    const Range levels = m_.layout->levels(m_.teams->v());
    const std::vector<Index>& waves = m_.legendre->waves();
    WaterErrors worst;
    for (std::size_t number = 0; number < waves.size(); ++number) {
        for (Index degree = waves[number]; degree <= m_.layout->grid().truncation(); ++degree) {
            const Harmonic harmonic{waves[number], degree};
            const double* value = state_.data() + spectrum_.at(number, harmonic.wave, degree);
            for (Index level_number = levels.begin; level_number < levels.end; ++level_number, value += 2) {
                const Triple expected = exact(level_number, harmonic);
                for (std::size_t kind = 0; kind < expected.size(); ++kind) {
                    const double* const there = value + static_cast<Index>(kind) * values();
                    const double off = std::abs(std::complex<double>(there[0], there[1]) - expected[kind]) /
                                       scales(level_number)[kind];
                    if (start_ != Start::unsteady) worst.state = greater(worst.state, off);
                    if (kind == 2 && degree == 0) worst.mass = greater(worst.mass, off);
                }
            }
        }
    }
    return worst;
}

std::uint64_t ShallowWater::checksum() const {
    return grid_checksum(m_, shallow_water_traffic.there, winds_.points(), wind_points_.data());
}

std::vector<double> ShallowWater::probes() const {
    return grid_probes(m_, shallow_water_traffic.there, winds_.points(), wind_points_.data());
}

}  // namespace waywiser::spectral
