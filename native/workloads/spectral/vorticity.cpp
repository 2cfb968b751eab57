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

struct Part {
    Harmonic harmonic;
    std::complex<double> coefficient;  ///< [1/s]
};

constexpr double triad_amplitude = 4e-5;
/// Each harmonic changes by the product of the other two: wave numbers add up, the sum of degrees is odd, and the
/// Laplacians differ. With equal phases, the errors of energy in the first steps would cancel up to a higher order.
/// Source: G. W. Platzman, "The spectral form of the vorticity equation", J. Meteorol. 17 (1960).
constexpr Part triad[] = {{{1, 3}, triad_amplitude}, {{2, 6}, triad_amplitude}, {{3, 4}, {0, -triad_amplitude}}};

/// Rate at which the phase of a harmonic on solid rotation decreases [1/s].
double frequency(const Harmonic& h, double omega) {
    const auto n = static_cast<double>(h.degree);
    return static_cast<double>(h.wave) * (omega - 2 * (omega + earth_rotation) / (n * (n + 1)));
}

/// Bound of a phase error of the method after the settings' steps, for phases that change by `sigma` [1/s].
double method_error(const Settings& s, double sigma) {
    return std::pow(sigma * s.dt, 4) * sigma * static_cast<double>(s.steps) * s.dt / 120;
}

Array<double> zeros(Index size) {
    Array<double> values(static_cast<std::size_t>(size));
    std::fill_n(values.data(), values.size(), 0.0);
    return values;
}

}  // namespace

Wave Wave::of(const Settings& s, Index level) {
    const double omega = s.omega * (1 + static_cast<double>(level) / 1000);
    const Harmonic harmonic{s.wave_number, s.wave_degree};
    return {.harmonic = harmonic,
            .omega = omega,
            .frequency = spectral::frequency(harmonic, omega),
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
            const std::complex<double> value = at_start(level, harmonic);
            vorticity_[place] = value.real();
            vorticity_[place + 1] = value.imag();
        }
    });
}

std::complex<double> Vorticity::at_start(Index level, const Harmonic& harmonic) const {
    const Wave wave = Wave::of(settings_, level);
    if (harmonic == Harmonic{0, 1}) return wave.solid();
    if (!settings_.is_triad()) return harmonic == wave.harmonic ? wave.amplitude : 0;
    const auto* const part = std::ranges::find(triad, harmonic, &Part::harmonic);
    return part == std::end(triad) ? 0 : part->coefficient;
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
    WaveErrors worst;
    each_coefficient([&](std::size_t, const Harmonic& harmonic, Index place) {
        for (Index level = levels.begin; level < levels.end; ++level, place += 2) {
            const Wave wave = Wave::of(settings_, level);
            const std::complex<double> value(vorticity_[place], vorticity_[place + 1]);
            if (harmonic == wave.harmonic) {
                const auto exact = std::polar(wave.amplitude, -wave.frequency * time);
                worst.wave = greater(worst.wave, std::abs(value - exact) / wave.amplitude);
                worst.amplitude = greater(worst.amplitude, std::abs(value) / wave.amplitude - 1);
                if (level == 0) worst.phase = std::arg(value);
                continue;
            }
            worst.leak = greater(worst.leak, std::abs(value - at_start(level, harmonic)) / wave.amplitude);
        }
    });
    return worst;
}

Invariants Vorticity::invariants() const {
    const Range levels = m_.layout->levels(m_.teams->v());
    const auto count = static_cast<std::size_t>(m_.layout->levels());
    Invariants sums{std::vector<double>(count), std::vector<double>(count)};
    each_coefficient([&](std::size_t, const Harmonic& harmonic, Index place) {
        if (harmonic.degree == 0) return;
        const auto laplacian = static_cast<double>(harmonic.degree * (harmonic.degree + 1));
        const double weight = harmonic.wave == 0 ? 1 : 2;
        for (Index level = levels.begin; level < levels.end; ++level, place += 2) {
            const double square = weight * std::norm(std::complex<double>(vorticity_[place], vorticity_[place + 1]));
            sums.energy[static_cast<std::size_t>(level)] += square / laplacian;
            sums.enstrophy[static_cast<std::size_t>(level)] += square;
        }
    });
    return sums;
}

std::vector<double> Vorticity::probes() const {
    return grid_probes(m_, wind_kinds, winds_.points(), wind_points_.data());
}

std::uint64_t Vorticity::checksum() const {
    return grid_checksum(m_, wind_kinds, winds_.points(), wind_points_.data());
}

/// Bound of a wave's error: twice the phase error of the method, (sigma dt)^4 sigma t / 120. The amplitude error is
/// smaller.
double allowed_wave_error(const Settings& s) {
    return 2 * method_error(s, std::abs(Wave::of(s, s.levels - 1).frequency)) + 1e-12;
}

/// Phases change by the frequencies of waves and by the advection of each harmonic by the others, whose rate is their
/// vorticity.
double allowed_drift(const Settings& s) {
    double sigma = 0;
    for (const Part& part : triad) {
        sigma = greater(sigma, frequency(part.harmonic, Wave::of(s, s.levels - 1).omega));
    }
    return 2 * method_error(s, sigma + 3 * triad_amplitude) + 1e-12;
}

Drift drift(const Invariants& before, const Invariants& after) {
    Drift worst;
    for (std::size_t level = 0; level < before.energy.size(); ++level) {
        worst.energy = greater(worst.energy, after.energy[level] / before.energy[level] - 1);
        worst.enstrophy = greater(worst.enstrophy, after.enstrophy[level] / before.enstrophy[level] - 1);
    }
    return worst;
}

}  // namespace waywiser::spectral
