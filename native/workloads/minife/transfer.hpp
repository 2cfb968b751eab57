/// Between a mesh and the one with half as many elements on every axis: trilinear interpolation and its transpose.
#pragma once

#include "workloads/minife/kernels.hpp"

namespace waywiser::minife {

/// The coarse nodes that coincide with nodes of a fine box.
[[nodiscard]] Box coarse_box(const Box& fine);

/// `part` without the nodes that have a prescribed value.
[[nodiscard]] Box free_nodes(const Mesh& mesh, const Box& part);

/// coarse = P^T fine at the free nodes of `part`, a box of coarse nodes; the halo of `fine` is up to date.
template <typename Real>
void restrict_to(const Layout& coarse, const Box& part, Real* to, const Layout& fine, const Real* from);

/// fine += P coarse at the segment; the halo of `coarse` is up to date.
template <typename Real>
void add_interpolated(const Layout& fine, const Segment& segment, Real* to, const Layout& coarse, const Real* from);

}  // namespace waywiser::minife
