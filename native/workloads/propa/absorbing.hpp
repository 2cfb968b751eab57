/// Absorbing layers along faces of the grid: convolutional perfectly matched layers (CPML).
///
/// In a layer, derivatives along its axis use a stretched coordinate, which adds two memory fields:
///
///   psi(n)  = a psi(n-1) + b d/dx P(n)                                P(n+1) += (c dt)^2 (d/dx psi(n) + zeta(n))
///   zeta(n) = a zeta(n-1) + b (d2/dx2 P(n) + d/dx psi(n))
///
/// Sources: D. Pasalic, R. McGarry, "Convolutional perfectly matched layer for isotropic and anisotropic acoustic wave
/// equations", SEG Technical Program 2010, pp. 2925-2929, doi:10.1190/1.3513453; a and b after D. Komatitsch, R.
/// Martin, "An unsplit convolutional perfectly matched layer improved at grazing incidence for the seismic wave
/// equation", Geophysics 72(5), 2007, pp. SM155-SM167, doi:10.1190/1.2757586.
#pragma once

#include "workloads/common/boundary.hpp"
#include "workloads/common/grid.hpp"

#include <array>
#include <span>
#include <vector>

namespace waywiser::propa {

struct Absorption {
    Index width = 20;  ///< number of points across a layer
    int order = 8;     ///< order of the differences
    std::array<double, 3> spacings_m{};
    double fastest_m_s = 0;   ///< largest speed in the medium
    double frequency_Hz = 0;  ///< frequency of the waves to absorb
    double dt_s = 0;
};

/// The absorbing layers of one rank. Real is float or double.
template <class Real>
class AbsorbingLayers {
public:
    /// \throws InvalidInput  if a rank at one of the faces has fewer points than a layer, or two layers meet; on all
    ///                       ranks
    AbsorbingLayers(const Cartesian& cartesian, const Absorption& absorption, std::span<const SurfaceFace> faces);

    /// Resets the layers to their state before the first step.
    void clear();

    /// Number of points of all layers of this rank; a point at an edge or a corner counts for each of its layers.
    [[nodiscard]] Index points() const;

    /// Applies the layers after a step from `in`, whose halo must be valid, to `out`. Uses all threads.
    void apply(const Grid<Real>& in, const Grid<Real>& factor, Grid<Real>& out);

private:
    /// Grids are indexed from the layer's first point.
    struct Layer {
        std::size_t axis;
        Region region;  ///< the layer's region of the rank's inner points
        Grid<Real> psi;
        Grid<Real> zeta;
        std::vector<Real> a;  ///< indexed by the position along the axis
        std::vector<Real> b;
    };

    void add_layer(const Cartesian& cartesian, const Absorption& absorption, const SurfaceFace& face);

    std::array<std::vector<Real>, 3> first_;   ///< c_1 ... c_m of d/dx on each axis
    std::array<std::vector<Real>, 3> second_;  ///< a_0 ... a_m of d2/dx2
    std::vector<Layer> layers_;
};

}  // namespace waywiser::propa
