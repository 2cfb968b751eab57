/// Geometric multigrid as a preconditioner: one V-cycle on meshes that are halved from level to level, along all axes
/// or along the axes with the shortest edges (coarsening.hpp).
///
/// The cycle consists of trilinear interpolation, its transpose, the matrix-free operator of every mesh (which is the
/// Galerkin product: the spaces are nested) and Chebyshev smoothing. Pre- and post-smoothing are equal, so that the
/// cycle is symmetric. Meshes are coarsened as long as an axis can be halved; the last mesh is solved by conjugate
/// gradients. Every rank stores small meshes completely, so that these need no messages.
///
/// Sources: A. Brandt, "Multi-level adaptive solutions to boundary-value problems", Mathematics of Computation 31(138),
/// 1977, pp. 333-390, doi:10.1090/S0025-5718-1977-0431719-X. M. Adams, M. Brezina, J. Hu, R. Tuminaro, "Parallel
/// multigrid smoothing: polynomial versus Gauss-Seidel", Journal of Computational Physics 188(2), 2003, pp. 593-610,
/// doi:10.1016/S0021-9991(03)00194-3.
#pragma once

#include "workloads/minife/cg.hpp"

#include <memory>
#include <span>

namespace waywiser::minife {

/// Real is the precision of the cycle.
/// \param owned  boxes of nodes of all ranks
template <typename Real>
[[nodiscard]] std::unique_ptr<Preconditioner> make_multigrid(const Mesh& mesh, std::span<const Box> owned,
                                                             MPI_Comm communicator);

}  // namespace waywiser::minife
