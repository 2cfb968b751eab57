#include "workloads/spectral/grid.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace waywiser::spectral {
namespace {

/// Legendre polynomial and its derivative.
std::array<long double, 2> legendre_polynomial(Index degree, long double x) {
    long double last = 1;
    long double value = x;
    for (Index n = 2; n <= degree; ++n) {
        const auto k = static_cast<long double>(n);
        const long double next = ((2 * k - 1) * x * value - (k - 1) * last) / k;
        last = value;
        value = next;
    }
    return {value, static_cast<long double>(degree) * (last - x * value) / ((1 - x) * (1 + x))};
}

}  // namespace

Grid::Grid(Index truncation, Index rings, bool octahedral)
    : truncation_(truncation), rings_(rings), octahedral_(octahedral) {}

Index Grid::longitudes(Index latitude) const { return octahedral_ ? 20 + 4 * ring(latitude) : 4 * rings_; }

Index Grid::points() const {
    Index sum = 0;
    for (Index latitude = 0; latitude < latitudes(); ++latitude) sum += longitudes(latitude);
    return sum;
}

/// Wave numbers are strictly below half the number of points, since the points do not determine the phase of that wave.
Index Grid::waves(Index latitude) const { return std::min(truncation_, (longitudes(latitude) - 1) / 2) + 1; }

Index Grid::first_ring(Index wave) const {
    Index ring = 0;
    while (waves(ring) <= wave) ++ring;
    return ring;
}

Gauss gauss(Index rings) {
    constexpr int newton_steps = 10;
    Gauss rule;
    for (Index k = 1; k <= rings; ++k) {
        const auto degree = static_cast<long double>(2 * rings);
        long double x =
            std::cos(std::numbers::pi_v<long double> * (static_cast<long double>(k) - 0.25L) / (degree + 0.5L));
        for (int step = 0; step < newton_steps; ++step) {
            const auto [value, slope] = legendre_polynomial(2 * rings, x);
            x -= value / slope;
        }
        const auto [value, slope] = legendre_polynomial(2 * rings, x);
        rule.sines.push_back(static_cast<double>(x));
        const long double square = (1 - x) * (1 + x);
        rule.squares.push_back(static_cast<double>(square));
        rule.weights.push_back(static_cast<double>(2 / (square * slope * slope)));
    }
    return rule;
}

}  // namespace waywiser::spectral
