/// Transfer to and from a mesh with half as many elements on some axes: trilinear interpolation and its transpose.
#pragma once

#include "workloads/minife/kernels.hpp"

namespace waywiser::minife {

/// Number of fine elements per coarse element, 1 or 2, by axis.
[[nodiscard]] Index3 coarsening(const Mesh& coarse, const Mesh& fine);

/// The coarse nodes that coincide with nodes of a fine box.
[[nodiscard]] Box coarse_box(const Box& fine, const Index3& coarsening);

/// `part` without the nodes that have a prescribed value.
[[nodiscard]] Box free_nodes(const Mesh& mesh, const Box& part);

/// Computes to = P^T from at a segment of free coarse nodes; the halo of `from`, a fine field, is up to date.
/// \param scratch  as many values as the length of the fine box plus two
template <typename Real>
void restrict_to(const Layout& coarse, const Segment& segment, Real* to, const Layout& fine, const Real* from,
                 Real* scratch);

/// Computes to += P from at a segment of fine nodes; the halo of `from`, a coarse field, is up to date.
/// \param scratch  as many values as the length of the fine box plus two
template <typename Real>
void add_interpolated(const Layout& fine, const Segment& segment, Real* to, const Layout& coarse, const Real* from,
                      Real* scratch);

}  // namespace waywiser::minife
