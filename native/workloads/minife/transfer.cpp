#include "workloads/minife/transfer.hpp"

#include "workloads/common/clones.hpp"

namespace waywiser::minife {
namespace {

/// to[j] = sum over the 27 fine nodes around 2j of from, halved for each axis on which they are off it.
/// \param from  nine lines of fine nodes that begin at the middle of to[0]
/// \param scratch  2 n + 1 values
template <typename Real>
[[gnu::always_inline]] inline void restrict_body(Index n, NineLines<Real> from, Real* __restrict scratch,
                                                 Real* __restrict to) {
    constexpr Real half = 0.5, quarter = 0.25;
    for (Index i = -1; i < 2 * n; ++i) {
        scratch[i + 1] = from[4][i] + half * ((from[1][i] + from[3][i]) + (from[5][i] + from[7][i])) +
                         quarter * ((from[0][i] + from[2][i]) + (from[6][i] + from[8][i]));
    }
    for (Index j = 0; j < n; ++j) to[j] = scratch[2 * j + 1] + half * (scratch[2 * j] + scratch[2 * j + 2]);
}

/// The mean of four lines, then of two nodes of it for every second fine node.
/// \param odd  1 if to[0] lies between from[.][0] and from[.][1], 0 if at the former
template <typename Real>
[[gnu::always_inline]] inline void interpolate_body(Index n, Index odd, std::array<const Real*, 4> from,
                                                    Real* __restrict scratch, Real* __restrict to) {
    constexpr Real half = 0.5, quarter = 0.25;
    const Index coarse = (n + odd) / 2 + 1;
    for (Index j = 0; j < coarse; ++j) {
        scratch[j] = quarter * ((from[0][j] + from[1][j]) + (from[2][j] + from[3][j]));
    }
    for (Index i = odd; i < n; i += 2) to[i] += scratch[(i + odd) / 2];
    for (Index i = 1 - odd; i < n; i += 2) to[i] += half * (scratch[(i + odd) / 2] + scratch[(i + odd) / 2 + 1]);
}

WAYWISER_CLONES
void restrict_line(Index n, const NineLines<double>& from, double* scratch, double* to) {
    restrict_body(n, from, scratch, to);
}
WAYWISER_CLONES
void restrict_line(Index n, const NineLines<float>& from, float* scratch, float* to) {
    restrict_body(n, from, scratch, to);
}
WAYWISER_CLONES
void interpolate_line(Index n, Index odd, const std::array<const double*, 4>& from, double* scratch, double* to) {
    interpolate_body(n, odd, from, scratch, to);
}
WAYWISER_CLONES
void interpolate_line(Index n, Index odd, const std::array<const float*, 4>& from, float* scratch, float* to) {
    interpolate_body(n, odd, from, scratch, to);
}

}  // namespace

Box coarse_box(const Box& fine) {
    Box coarse;
    for (std::size_t axis = 0; axis < 3; ++axis) {
        coarse.lo[axis] = (fine.lo[axis] + 1) / 2;
        coarse.hi[axis] = (fine.hi[axis] + 1) / 2;
    }
    return coarse;
}

Box free_nodes(const Mesh& mesh, const Box& part) {
    const auto& [x, y, z] = mesh.elements;
    return intersection(part, {.lo = {1, 1, 1}, .hi = {x, y, z}});
}

template <typename Real>
void restrict_to(const Layout& coarse, const Box& part, Real* to, const Layout& fine, const Real* from) {
    std::vector<Real> scratch(static_cast<std::size_t>(2 * part.extent(0) + 1));
    for (const Segment& s : lines(coarse, free_nodes(coarse.mesh, part))) {
        NineLines<Real> around{};
        for (Index k = 0; k < 9; ++k) {
            const Index3 node{2 * s.node[0], 2 * s.node[1] + k % 3 - 1, 2 * s.node[2] + k / 3 - 1};
            around[static_cast<std::size_t>(k)] = from + fine.position(node);
        }
        restrict_line(s.length, around, scratch.data(), to + s.position);
    }
}

template <typename Real>
void add_interpolated(const Layout& fine, const Segment& segment, Real* to, const Layout& coarse, const Real* from) {
    thread_local std::vector<Real> scratch;
    scratch.resize(static_cast<std::size_t>(fine.reach.extent(0) / 2 + 2));
    const auto& [x, y, z] = segment.node;
    std::array<const Real*, 4> around{};
    for (Index k = 0; k < 4; ++k) {
        around[static_cast<std::size_t>(k)] = from + coarse.position({x / 2, (y + k % 2) / 2, (z + k / 2) / 2});
    }
    interpolate_line(segment.length, x % 2, around, scratch.data(), to + segment.position);
}

template void restrict_to(const Layout&, const Box&, double*, const Layout&, const double*);
template void restrict_to(const Layout&, const Box&, float*, const Layout&, const float*);
template void add_interpolated(const Layout&, const Segment&, double*, const Layout&, const double*);
template void add_interpolated(const Layout&, const Segment&, float*, const Layout&, const float*);

}  // namespace waywiser::minife
