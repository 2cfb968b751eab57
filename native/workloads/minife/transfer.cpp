#include "workloads/minife/transfer.hpp"

#include "workloads/common/clones.hpp"

namespace waywiser::minife {
namespace {

/// Computes to[j], the weighted sum over the fine nodes around coarse node j.
/// \param beside  weights of a line's two neighbours in y and in z: 1/2 if that axis is halved, otherwise 0
/// \param from  nine lines of fine nodes, which start at the middle of to[0]
/// \param scratch  step (n - 1) + 3 values
template <typename Real>
[[gnu::always_inline]] inline void restrict_body(Index n, Index step, std::array<Real, 2> beside, NineLines<Real> from,
                                                 Real* __restrict scratch, Real* __restrict to) {
    constexpr Real half = 0.5;
    const Real in_y = beside[0], in_z = beside[1], in_both = beside[0] * beside[1];
    for (Index i = -1; i < step * (n - 1) + 2; ++i) {
        scratch[i + 1] = from[4][i] + in_y * (from[3][i] + from[5][i]) + in_z * (from[1][i] + from[7][i]) +
                         in_both * ((from[0][i] + from[2][i]) + (from[6][i] + from[8][i]));
    }
    if (step == 1) {
        std::copy_n(scratch + 1, n, to);
    } else {
        for (Index j = 0; j < n; ++j) to[j] = scratch[2 * j + 1] + half * (scratch[2 * j] + scratch[2 * j + 2]);
    }
}

/// The mean of four lines; where x is halved, for every second fine node of two nodes of it.
/// \param odd  1 if to[0] lies between from[.][0] and from[.][1], 0 if at the former
template <typename Real>
[[gnu::always_inline]] inline void interpolate_body(Index n, Index step, Index odd, std::array<const Real*, 4> from,
                                                    Real* __restrict scratch, Real* __restrict to) {
    constexpr Real half = 0.5, quarter = 0.25;
    const Index coarse = step == 1 ? n : (n + odd) / 2 + 1;
    for (Index j = 0; j < coarse; ++j) {
        scratch[j] = quarter * ((from[0][j] + from[1][j]) + (from[2][j] + from[3][j]));
    }
    if (step == 1) {
        for (Index i = 0; i < n; ++i) to[i] += scratch[i];
        return;
    }
    for (Index i = odd; i < n; i += 2) to[i] += scratch[(i + odd) / 2];
    for (Index i = 1 - odd; i < n; i += 2) to[i] += half * (scratch[(i + odd) / 2] + scratch[(i + odd) / 2 + 1]);
}

WAYWISER_CLONES
void restrict_line(Index n, Index step, const std::array<double, 2>& beside, const NineLines<double>& from,
                   double* scratch, double* to) {
    restrict_body(n, step, beside, from, scratch, to);
}
WAYWISER_CLONES
void restrict_line(Index n, Index step, const std::array<float, 2>& beside, const NineLines<float>& from,
                   float* scratch, float* to) {
    restrict_body(n, step, beside, from, scratch, to);
}
WAYWISER_CLONES
void interpolate_line(Index n, Index step, Index odd, const std::array<const double*, 4>& from, double* scratch,
                      double* to) {
    interpolate_body(n, step, odd, from, scratch, to);
}
WAYWISER_CLONES
void interpolate_line(Index n, Index step, Index odd, const std::array<const float*, 4>& from, float* scratch,
                      float* to) {
    interpolate_body(n, step, odd, from, scratch, to);
}

}  // namespace

Index3 coarsening(const Mesh& coarse, const Mesh& fine) {
    Index3 step{};
    for (std::size_t axis = 0; axis < 3; ++axis) step[axis] = fine.elements[axis] / coarse.elements[axis];
    return step;
}

Box coarse_box(const Box& fine, const Index3& coarsening) {
    Box coarse;
    for (std::size_t axis = 0; axis < 3; ++axis) {
        coarse.lo[axis] = (fine.lo[axis] + coarsening[axis] - 1) / coarsening[axis];
        coarse.hi[axis] = (fine.hi[axis] + coarsening[axis] - 1) / coarsening[axis];
    }
    return coarse;
}

Box free_nodes(const Mesh& mesh, const Box& part) {
    const auto& [x, y, z] = mesh.elements;
    return intersection(part, {.lo = {1, 1, 1}, .hi = {x, y, z}});
}

template <typename Real>
void restrict_to(const Layout& coarse, const Segment& segment, Real* to, const Layout& fine, const Real* from,
                 Real* scratch) {
    const Index3 step = coarsening(coarse.mesh, fine.mesh);
    const auto beside = [&](std::size_t axis) { return static_cast<Real>(step[axis] == 2 ? 0.5 : 0); };
    const auto& [x, y, z] = segment.node;
    NineLines<Real> around{};
    for (Index k = 0; k < 9; ++k) {
        const Index3 node{step[0] * x, step[1] * y + k % 3 - 1, step[2] * z + k / 3 - 1};
        around[static_cast<std::size_t>(k)] = from + fine.position(node);
    }
    restrict_line(segment.length, step[0], {beside(1), beside(2)}, around, scratch, to + segment.position);
}

template <typename Real>
void add_interpolated(const Layout& fine, const Segment& segment, Real* to, const Layout& coarse, const Real* from,
                      Real* scratch) {
    const Index3 step = coarsening(coarse.mesh, fine.mesh);
    const auto& [x, y, z] = segment.node;
    std::array<const Real*, 4> around{};
    for (Index k = 0; k < 4; ++k) {
        // A node between two coarse nodes has both as neighbours; a node that coincides with a coarse node has this
        // node twice.
        const Index3 node{x / step[0], (y + k % 2 * (step[1] - 1)) / step[1], (z + k / 2 * (step[2] - 1)) / step[2]};
        around[static_cast<std::size_t>(k)] = from + coarse.position(node);
    }
    interpolate_line(segment.length, step[0], x % step[0], around, scratch, to + segment.position);
}

template void restrict_to(const Layout&, const Segment&, double*, const Layout&, const double*, double*);
template void restrict_to(const Layout&, const Segment&, float*, const Layout&, const float*, float*);
template void add_interpolated(const Layout&, const Segment&, double*, const Layout&, const double*, double*);
template void add_interpolated(const Layout&, const Segment&, float*, const Layout&, const float*, float*);

}  // namespace waywiser::minife
