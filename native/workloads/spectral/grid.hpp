/// Points on the sphere: Gauss latitudes, and longitudes that start at 0 on each of them.
#pragma once

#include "workloads/common/cartesian.hpp"

#include <vector>

namespace waywiser::spectral {

/// Latitudes are numbered from north to south. A ring is a latitude of either hemisphere, numbered from the pole.
class Grid {
public:
    /// \param rings  from pole to equator
    /// \param octahedral  20 points on the first ring and four more on each that follows; else four times the rings
    Grid(Index truncation, Index rings, bool octahedral);

    [[nodiscard]] Index truncation() const { return truncation_; }
    [[nodiscard]] Index rings() const { return rings_; }
    [[nodiscard]] Index latitudes() const { return 2 * rings_; }
    [[nodiscard]] Index ring(Index latitude) const { return latitude < rings_ ? latitude : latitudes() - 1 - latitude; }
    [[nodiscard]] Index longitudes(Index latitude) const;
    [[nodiscard]] Index points() const;
    /// Wave numbers that a latitude carries: those below this one.
    [[nodiscard]] Index waves(Index latitude) const;
    /// The first ring that carries a wave number; all that follow do.
    [[nodiscard]] Index first_ring(Index wave) const;

private:
    Index truncation_;
    Index rings_;
    bool octahedral_;
};

/// Nodes and weights of Gauss's quadrature on [-1, 1], of the positive nodes, the greatest first.
struct Gauss {
    std::vector<double> sines;    ///< sines of latitudes
    std::vector<double> squares;  ///< squares of their cosines, which are accurate at the poles
    std::vector<double> weights;
};

[[nodiscard]] Gauss gauss(Index rings);

}  // namespace waywiser::spectral
