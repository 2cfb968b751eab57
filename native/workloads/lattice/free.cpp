#include "workloads/lattice/free.hpp"

#include <cmath>
#include <numbers>

namespace waywiser::lattice {
namespace {

/// Phase between neighbouring sites of a wave that has `half_waves` half waves along an axis [rad].
double angle(Index half_waves, Index extent) {
    return std::numbers::pi * static_cast<double>(half_waves) / static_cast<double>(extent);
}

/// Returns sum_mu gamma_mu s_mu psi, for one colour.
std::array<Complex, 4> slashed(const std::array<double, axes>& s, const std::array<Complex, 4>& psi) {
    constexpr Complex i{0, 1};
    const Complex plus{s[3], s[2]};    // s_4 + i s_3
    const Complex minus{s[3], -s[2]};  // s_4 - i s_3
    const Complex across{s[1], s[0]};  // s_2 + i s_1
    const Complex back{-s[1], s[0]};   // -s_2 + i s_1
    return {times(plus, psi[2]) + times(across, psi[3]), times(back, psi[2]) + times(minus, psi[3]),
            times(minus, psi[0]) - times(across, psi[1]), -times(back, psi[0]) + times(plus, psi[1])};
}

}  // namespace

/// Angles are reduced to one turn, so that phases are as exact on large lattices as on small ones.
Spinor PlaneWave::at(const Index4& site) const {
    Complex phase = 1;
    for (std::size_t axis = 0; axis < axes; ++axis) {
        const Index turned = half_waves[axis] * site[axis] % (2 * extents[axis]);
        phase = times(phase, std::polar(1.0, angle(turned, extents[axis])));
    }
    Spinor wave;
    for (std::size_t k = 0; k < wave.size(); ++k) wave[k] = times(phase, chi[k]);
    return wave;
}

PlaneWave plane_wave(const Index4& extents, const Index4& modes, bool antiperiodic, double kappa) {
    PlaneWave wave{extents, {}, {}, {}};
    std::array<double, axes> sines{};
    double cosines = 0;
    double square = 0;
    for (std::size_t axis = 0; axis < axes; ++axis) {
        wave.half_waves[axis] = 2 * modes[axis] + (antiperiodic && axis == 3 ? 1 : 0);
        const double p = angle(wave.half_waves[axis], extents[axis]);
        sines[axis] = std::sin(p);
        cosines += std::cos(p);
        square += sines[axis] * sines[axis];
    }
    const double length = std::sqrt(square);
    wave.eigenvalue = {1 - 2 * kappa * cosines, 2 * kappa * length};
    // (S + s) eta is an eigenvector of S = sum gamma sin p, whose square is s^2.
    constexpr std::array<Complex, 4> eta{Complex{1, 0.5}, Complex{-0.25, 1}, Complex{0.75, -0.5}, Complex{0.5, 0.25}};
    constexpr std::array<Complex, 3> colours{Complex{1, 0}, Complex{0, 0.5}, Complex{-0.5, 0.25}};
    const std::array<Complex, 4> image = slashed(sines, eta);
    for (std::size_t spin = 0; spin < 4; ++spin) {
        for (std::size_t c = 0; c < 3; ++c) {
            const Complex along = square > 1e-20 ? image[spin] + length * eta[spin] : eta[spin];
            wave.chi[3 * spin + c] = times(along, colours[c]);
        }
    }
    return wave;
}

std::vector<double> free_correlator(const Index4& extents, bool antiperiodic, double kappa, Index part, Index parts) {
    const Index space = extents[0] * extents[1] * extents[2];
    const auto steps = static_cast<std::size_t>(extents[3]);
    std::vector<double> sums(steps);
    std::vector<std::array<Complex, 4>> waves(steps);
    std::vector<Complex> phases(2 * steps);
    for (std::size_t k = 0; k < phases.size(); ++k) {
        phases[k] = std::polar(1.0, std::numbers::pi * static_cast<double>(k) / static_cast<double>(steps));
    }
    for (Index mode = part; mode < space; mode += parts) {
        const Index4 modes{mode % extents[0], mode / extents[0] % extents[1], mode / (extents[0] * extents[1]), 0};
        for (std::size_t k = 0; k < steps; ++k) {
            std::array<double, axes> sines{};
            double cosines = 0;
            double square = 0;
            for (std::size_t axis = 0; axis < axes; ++axis) {
                const Index of_axis = axis == 3 ? static_cast<Index>(k) : modes[axis];
                const double p = angle(2 * of_axis + (antiperiodic && axis == 3 ? 1 : 0), extents[axis]);
                sines[axis] = std::sin(p);
                cosines += std::cos(p);
                square += sines[axis] * sines[axis];
            }
            const double mass = 1 - 2 * kappa * cosines;
            const double size = mass * mass + 4 * kappa * kappa * square;
            waves[k] = slashed(sines, {1, 0, 0, 0});
            for (Complex& component : waves[k]) component = times({0, -2 * kappa / size}, component);
            waves[k][0] += mass / size;
        }
        for (std::size_t t = 0; t < steps; ++t) {
            std::array<Complex, 4> sum{};
            for (std::size_t k = 0; k < steps; ++k) {
                const Complex phase = phases[(2 * k + (antiperiodic ? 1 : 0)) * t % (2 * steps)];
                for (std::size_t spin = 0; spin < 4; ++spin) sum[spin] += times(phase, waves[k][spin]);
            }
            for (const Complex& component : sum) sums[t] += std::norm(component);
        }
    }
    const auto t = static_cast<double>(steps);
    for (double& sum : sums) sum /= t * t * static_cast<double>(space);
    return sums;
}

}  // namespace waywiser::lattice
