/// Spectral derivatives on the unit sphere: d / d lambda eastward, and H = (1 - mu^2) d / d mu northward. H P(n) = (n +
/// 1) epsilon(n) P(n-1) - n epsilon(n+1) P(n+1).
#pragma once

#include "workloads/spectral/transform.hpp"

namespace waywiser::spectral {

/// Derivatives, at one wave number and degree, of the potential whose Laplacian is a field. Wind components have
/// degrees up to one above the truncation.
class Gradient {
public:
    /// \param field  function that returns the start of a degree's coefficient
    template <class Field>
    Gradient(Index wave, Index degree, Index truncation, Field field)
        : lower_(degree > wave && degree > 1 ? field(degree - 1) : nullptr),
          own_(degree > 0 && degree <= truncation ? field(degree) : nullptr),
          upper_(degree < truncation ? field(degree + 1) : nullptr) {
        const auto n = static_cast<double>(degree);
        from_lower_ = degree == 0 ? 0 : epsilon(degree, wave) / n;
        from_upper_ = -epsilon(degree + 1, wave) / (n + 1);
        turned_ = degree == 0 ? 0 : static_cast<double>(wave) / (n * (n + 1));
    }

    /// \param c  index of a real part if even, of an imaginary part if odd
    [[nodiscard]] double northward(Index c) const {
        return (lower_ != nullptr ? from_lower_ * lower_[c] : 0) + (upper_ != nullptr ? from_upper_ * upper_[c] : 0);
    }
    [[nodiscard]] double eastward(Index c) const {
        if (own_ == nullptr) return 0;
        return c % 2 == 0 ? turned_ * own_[c + 1] : -turned_ * own_[c - 1];
    }

private:
    const double* lower_;
    const double* own_;
    const double* upper_;
    double from_lower_, from_upper_, turned_;
};

/// Minus the divergence of a flux. The given coefficients are those of its components times the cosine, divided by the
/// squared cosine. The northward part is integrated by parts, with H of each harmonic.
class Convergence {
public:
    /// \param east, north  functions that return the start of a degree's coefficient of the component
    template <class East, class North>
    Convergence(Index wave, Index degree, East east, North north)
        : east_(east(degree)), lower_(degree > wave ? north(degree - 1) : nullptr), upper_(north(degree + 1)) {
        const auto n = static_cast<double>(degree);
        m_ = static_cast<double>(wave);
        from_lower_ = (n + 1) * epsilon(degree, wave);
        from_upper_ = -n * epsilon(degree + 1, wave);
    }

    [[nodiscard]] double eastward(Index c) const { return c % 2 == 0 ? m_ * east_[c + 1] : -m_ * east_[c - 1]; }
    [[nodiscard]] double northward(Index c) const {
        return (lower_ != nullptr ? from_lower_ * lower_[c] : 0) + from_upper_ * upper_[c];
    }

private:
    const double* east_;
    const double* lower_;
    const double* upper_;
    double m_, from_lower_, from_upper_;
};

/// Calls `body(number, wave, degree)` for each coefficient of a rank up to a degree; threads share the wave numbers.
template <class Body>
void each_degree(const Machinery& m, Index greatest, Body body) {
    const std::vector<Index>& waves = m.legendre->waves();
    const auto count = static_cast<Index>(waves.size());
#pragma omp parallel for schedule(dynamic)
    for (Index k = 0; k < count; ++k) {
        const auto number = static_cast<std::size_t>(k);
        for (Index degree = waves[number]; degree <= greatest; ++degree) body(number, waves[number], degree);
    }
}

/// A latitude of this rank.
struct Circle {
    double mu;           ///< sine
    double over_square;  ///< 1 / (1 - mu^2)
    std::size_t number;  ///< index among the rank's latitudes
    Index values;        ///< number of values of one field on all levels
};

/// Calls `body(circle)` for each latitude of this rank.
template <class Body>
void each_circle(const Machinery& m, Body body) {
    const Layout& layout = *m.layout;
    const std::vector<Index>& latitudes = layout.latitudes(m.teams->w());
    const auto count = static_cast<Index>(latitudes.size());
#pragma omp parallel for schedule(dynamic)
    for (Index k = 0; k < count; ++k) {
        const auto number = static_cast<std::size_t>(k);
        const Index latitude = latitudes[number];
        const auto ring = static_cast<std::size_t>(layout.grid().ring(latitude));
        body(Circle{.mu = (latitude < layout.grid().rings() ? 1 : -1) * m.gauss->sines[ring],
                    .over_square = 1 / m.gauss->squares[ring],
                    .number = number,
                    .values = layout.levels() * layout.longitudes(latitude, m.teams->v()).size()});
    }
}

}  // namespace waywiser::spectral
