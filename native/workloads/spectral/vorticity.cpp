#include "workloads/spectral/vorticity.hpp"

#include "workloads/spectral/derivatives.hpp"
#include "workloads/spectral/pattern.hpp"

#include <algorithm>
#include <cmath>
#include <complex>

namespace waywiser::spectral {
namespace {

constexpr Index wind_kinds = vorticity_traffic.there;
constexpr Index product_kinds = vorticity_traffic.back;
constexpr int stages = vorticity_traffic.stages;
constexpr double amplitude_at_start = 7.848e-6;

Array<double> zeros(Index size) {
    Array<double> values(static_cast<std::size_t>(size));
    std::fill_n(values.data(), values.size(), 0.0);
    return values;
}

}  // namespace

Wave Wave::of(const Settings& s, Index level) {
    const double omega = s.omega * (1 + static_cast<double>(level) / 1000);
    const auto m = static_cast<double>(s.wave_number);
    const auto n = static_cast<double>(s.wave_degree);
    return {.harmonic = {s.wave_number, s.wave_degree},
            .omega = omega,
            .frequency = m * (omega - 2 * (omega + earth_rotation) / (n * (n + 1))),
            .amplitude = amplitude_at_start};
}

/// Coefficient of the vorticity 2 omega mu, where mu is sqrt(2/3) times the normalised function.
double Wave::solid() const { return 2 * omega * std::sqrt(2.0 / 3); }

Vorticity::Vorticity(const Machinery& machinery, const Settings& settings)
    : m_(machinery),
      settings_(settings),
      spectrum_(m_, 1),
      winds_(m_, wind_kinds, 1),
      products_(m_, product_kinds, 1),
      vorticity_(zeros(spectrum_.size())),
      stage_(zeros(spectrum_.size())),
      sum_(zeros(spectrum_.size())),
      tendency_(zeros(spectrum_.size())),
      wind_spectrum_(zeros(winds_.spectrum().size())),
      product_spectrum_(zeros(products_.spectrum().size())),
      wind_points_(zeros(winds_.points().size())),
      product_points_(zeros(products_.points().size())) {
    const Range levels = m_.layout->levels(m_.teams->v());
    each_coefficient([&](std::size_t, const Harmonic& harmonic, Index place) {
        for (Index level = levels.begin; level < levels.end; ++level, place += 2) {
            const Wave wave = Wave::of(settings_, level);
            if (harmonic.wave == 0 && harmonic.degree == 1) vorticity_[place] = wave.solid();
            if (harmonic.wave == wave.harmonic.wave && harmonic.degree == wave.harmonic.degree) {
                vorticity_[place] = wave.amplitude;
            }
        }
    });
}

/// Calls `body(number, harmonic, place)` for each coefficient up to the truncation.
template <class Body>
void Vorticity::each_coefficient(Body body) const {
    const std::vector<Index>& waves = m_.legendre->waves();
    for (std::size_t number = 0; number < waves.size(); ++number) {
        for (Index degree = waves[number]; degree <= m_.layout->grid().truncation(); ++degree) {
            body(number, Harmonic{waves[number], degree}, spectrum_.at(number, waves[number], degree));
        }
    }
}

/// Let u and v be the wind's components divided by the radius, psi the stream function divided by the squared radius,
/// and H the operator (1 - mu^2) d / d mu. Then u cos = -H psi and v cos = d psi / d lambda.
void Vorticity::fill_winds(const Array<double>& vorticity) {
    const Index values = spectrum_.values();
    const Index truncation = m_.layout->grid().truncation();
    each_degree(m_, truncation + 1, [&](std::size_t number, Index wave, Index degree) {
        const auto own = [&](Index n) { return vorticity.data() + spectrum_.at(number, wave, n); };
        const Gradient stream(wave, degree, truncation, own);
        double* const out = wind_spectrum_.data() + winds_.spectrum().at(number, wave, degree);
        for (Index c = 0; c < values; ++c) {
            out[c] = degree <= truncation ? own(degree)[c] : 0;
            out[values + c] = -stream.northward(c);
            out[2 * values + c] = stream.eastward(c);
        }
    });
}

void Vorticity::multiply() {
    each_circle(m_, [&](const Circle& circle) {
        const Index values = circle.values;
        const double* const zeta = wind_points_.data() + winds_.points().begin(circle.number);
        const double* const u = zeta + values;
        const double* const v = u + values;
        double* const by_u = product_points_.data() + products_.points().begin(circle.number);
        double* const by_v = by_u + values;
        for (Index i = 0; i < values; ++i) {
            const double absolute = circle.over_square * (zeta[i] + 2 * earth_rotation * circle.mu);
            by_u[i] = u[i] * absolute;
            by_v[i] = v[i] * absolute;
        }
    });
}

void Vorticity::differentiate() {
    const Index values = spectrum_.values();
    each_degree(m_, m_.layout->grid().truncation(), [&](std::size_t number, Index wave, Index degree) {
        const auto by_u = [&](Index n) { return product_spectrum_.data() + products_.spectrum().at(number, wave, n); };
        const auto by_v = [&](Index n) { return by_u(n) + values; };
        const Convergence flux(wave, degree, by_u, by_v);
        double* const out = tendency_.data() + spectrum_.at(number, wave, degree);
        for (Index c = 0; c < values; ++c) out[c] = flux.eastward(c) + flux.northward(c);
    });
}

void Vorticity::tendency(const Array<double>& vorticity) {
    Stopwatch watch;
    fill_winds(vorticity);
    m_.sections->points += watch.lap_s();
    winds_.inverse(wind_spectrum_.data(), wind_points_.data());
    watch.lap_s();
    multiply();
    m_.sections->points += watch.lap_s();
    products_.direct(product_points_.data(), product_spectrum_.data());
    watch.lap_s();
    differentiate();
    m_.sections->points += watch.lap_s();
}

void Vorticity::step() {
    constexpr double weights[stages] = {1.0 / 6, 1.0 / 3, 1.0 / 3, 1.0 / 6};
    constexpr double ahead[stages] = {0.5, 0.5, 1, 0};
    const Index size = spectrum_.size();
    std::copy_n(vorticity_.data(), size, stage_.data());
    std::copy_n(vorticity_.data(), size, sum_.data());
    for (int stage = 0; stage < stages; ++stage) {
        tendency(stage_);
        Stopwatch watch;
        const double by = settings_.dt * weights[stage];
        const double to = settings_.dt * ahead[stage];
        for (Index k = 0; k < size; ++k) {
            sum_[k] += by * tendency_[k];
            stage_[k] = vorticity_[k] + to * tendency_[k];
        }
        m_.sections->points += watch.lap_s();
    }
    std::swap(vorticity_, sum_);
}

WaveErrors Vorticity::errors(double time) const {
    const Range levels = m_.layout->levels(m_.teams->v());
    WaveErrors found;
    each_coefficient([&](std::size_t, const Harmonic& harmonic, Index place) {
        for (Index level = levels.begin; level < levels.end; ++level, place += 2) {
            const Wave wave = Wave::of(settings_, level);
            const std::complex<double> value(vorticity_[place], vorticity_[place + 1]);
            if (harmonic.wave == wave.harmonic.wave && harmonic.degree == wave.harmonic.degree) {
                const auto exact = std::polar(wave.amplitude, -wave.frequency * time);
                found.wave = greater(found.wave, std::abs(value - exact) / wave.amplitude);
                found.amplitude = greater(found.amplitude, std::abs(value) / wave.amplitude - 1);
                if (level == 0) found.phase = std::arg(value);
                continue;
            }
            const double start = harmonic.wave == 0 && harmonic.degree == 1 ? wave.solid() : 0;
            found.leak = greater(found.leak, std::abs(value - start) / wave.amplitude);
        }
    });
    return found;
}

std::uint64_t Vorticity::checksum() const {
    return grid_checksum(m_, wind_kinds, winds_.points(), wind_points_.data());
}

/// Bound of a wave's error: twice the phase error of the method, (sigma dt)^4 sigma t / 120. The amplitude error is
/// smaller.
double allowed_wave_error(const Settings& s) {
    const double time = static_cast<double>(s.steps) * s.dt;
    const double sigma = std::abs(Wave::of(s, s.levels - 1).frequency);
    return 2 * std::pow(sigma * s.dt, 4) * sigma * time / 120 + 1e-12;
}

}  // namespace waywiser::spectral
