/// Points on the sphere: Gaussian latitudes, each with longitudes that start at 0.
#pragma once

#include "workloads/common/cartesian.hpp"

#include <vector>

namespace waywiser::spectral {

/// Latitudes are numbered from north to south. A ring is a latitude of either hemisphere, numbered from the pole.
class Grid {
public:
    /// \param rings  number of latitudes from pole to equator
    /// \param octahedral  true: 20 points on the first ring and four more on each next ring; false: 4 * rings points on
    ///     all
    Grid(Index truncation, Index rings, bool octahedral);

    [[nodiscard]] Index truncation() const { return truncation_; }
    [[nodiscard]] Index rings() const { return rings_; }
    [[nodiscard]] Index latitudes() const { return 2 * rings_; }
    [[nodiscard]] Index ring(Index latitude) const { return latitude < rings_ ? latitude : latitudes() - 1 - latitude; }
    [[nodiscard]] Index longitudes(Index latitude) const;
    [[nodiscard]] Index points() const;
    /// Number of wave numbers, from 0, that a latitude carries.
    [[nodiscard]] Index waves(Index latitude) const;
    /// The first ring that carries a wave number; all later rings carry the same wave number.
    [[nodiscard]] Index first_ring(Index wave) const;

private:
    Index truncation_;
    Index rings_;
    bool octahedral_;
};

/// Positive nodes of Gaussian quadrature on [-1, 1] and their weights, the greatest node first.
struct Gauss {
    std::vector<double> sines;    ///< sines of latitudes
    std::vector<double> squares;  ///< squares of cosines of latitudes, without cancellation near the poles
    std::vector<double> weights;
};

[[nodiscard]] Gauss gauss(Index rings);

}  // namespace waywiser::spectral
