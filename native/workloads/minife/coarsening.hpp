/// Selects the axes of a mesh to halve, and the modes that remain for the mesh's smoother.  On stretched bricks only
/// the axes with the short edges are halved, until the bricks are about cubes: along the others, errors are not smooth
/// after point smoothing.
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
/// The range of eigenvalues, on the free nodes, of modes that the halved mesh cannot represent; twice the largest
/// eigenvalue if there are none.
[[nodiscard]] Band band_to_smooth(const Mesh& mesh, const Axes& axes);

/// Steps of a Chebyshev iteration that reduce all modes in the band to at most a sixth: two on cubes, 0 for a point.
[[nodiscard]] Index smoothing_steps(const Band& band);

}  // namespace waywiser::minife
