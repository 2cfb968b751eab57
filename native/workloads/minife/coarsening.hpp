/// Selects the axes of a mesh to halve, and the modes left to the smoother of the mesh.
///
/// On stretched bricks only the axes with the short edges are halved, until the bricks are about cubes: along the
/// others, errors are not smooth after point smoothing.
///
/// Source: U. Trottenberg, C. W. Oosterlee, A. Schueller, "Multigrid", Academic Press, 2001, sections 5.1 and 5.2
/// (anisotropic equations, semicoarsening).
#pragma once

#include "workloads/minife/mesh.hpp"

namespace waywiser::minife {

using Axes = std::array<bool, 3>;  ///< x, y, z

/// The axes with an even number of elements that are more than two thirds of the most; none if the mesh is the last.
[[nodiscard]] Axes axes_to_halve(const Mesh& mesh);

/// The mesh with half as many elements on the given axes.
[[nodiscard]] Mesh halved(const Mesh& mesh, const Axes& axes);

struct Band {
    double least;
    double greatest;
};
/// Holds the eigenvalues, on the free nodes, of what the mesh halved on these axes cannot show; the greatest of all
/// twice where there are none.
[[nodiscard]] Band band_to_smooth(const Mesh& mesh, const Axes& axes);

/// Steps of a Chebyshev iteration that leave at most a sixth of everything in the band: two on cubes, 0 for a point.
[[nodiscard]] Index smoothing_steps(const Band& band);

}  // namespace waywiser::minife
