#include "workloads/tbl/equation.hpp"

#include "workloads/common/clones.hpp"

namespace waywiser::tbl {
namespace {

/// Net flux out of a velocity's control volume through its two faces on an axis.
[[gnu::always_inline]] inline double outflow(const double* own, const double* carrying, Index own_stride, Index stride,
                                             double before, double behind) {
    const double high = (before * carrying[0] + behind * carrying[own_stride]) * (own[0] + own[stride]);
    const double low = (before * carrying[-stride] + behind * carrying[own_stride - stride]) * (own[-stride] + own[0]);
    return high - low;
}

[[gnu::always_inline]] inline double diffusion(const double* own, Index stride, double low, double high) {
    return high * (own[stride] - own[0]) - low * (own[0] - own[-stride]);
}

/// \param viscous  true if the explicit terms include viscosity along the walls
template <bool viscous>
[[gnu::always_inline]] inline void change_row(const Place& place, const Terms& terms, const Weights& weights,
                                              Index points, double* taken, double* change) {
    const Terms t = terms;  // A local copy aliases no row, so that the loop can be vectorised.
    const double interval = weights.interval;
    const double now = weights.now;
    const double before = weights.before;
    const double* const q = place.own;
    const double* const u = place.carrying[0];
    const double* const v = place.carrying[1];
    const double* const w = place.carrying[2];
    const double* const p = place.pressure;
    const Index own_stride = place.own_stride;
    const Index rows = place.strides[1];
    const Index planes = place.strides[2];
#pragma omp simd
    for (Index i = 0; i < points; ++i) {
        const double out = outflow(q + i, u + i, own_stride, 1, t.before[0], t.behind[0]) +
                           outflow(q + i, v + i, own_stride, rows, t.before[1], t.behind[1]) +
                           outflow(q + i, w + i, own_stride, planes, t.before[2], t.behind[2]);
        const double along = diffusion(q + i, 1, t.low[0], t.high[0]) + diffusion(q + i, planes, t.low[2], t.high[2]);
        const double across = diffusion(q + i, rows, t.low[1], t.high[1]);
        const double rest = across - t.pressure * (p[i + own_stride] - p[i]) + t.force;
        const double explicitly = viscous ? out - along : out;
        change[i] = interval * ((viscous ? rest : rest + along) - now * explicitly - before * taken[i]);
        taken[i] = explicitly;
    }
}

}  // namespace

Terms terms_of(const Domain& domain, std::size_t component, Index row) {
    const WallGrid& grid = domain.wall_grid;
    const double nu = domain.viscosity;
    Terms terms;
    for (const std::size_t axis : along_walls) {
        const double h = domain.spacing(axis);
        terms.before[axis] = terms.behind[axis] = 1 / (4 * h);
        terms.low[axis] = terms.high[axis] = nu / (h * h);
    }
    if (component == 1) {
        const double gap = grid.gap(row);
        for (const std::size_t axis : along_walls) {
            terms.before[axis] *= grid.size(row) / gap;
            terms.behind[axis] *= grid.size(row + 1) / gap;
        }
        terms.before[1] = terms.behind[1] = 1 / (4 * gap);
        terms.low[1] = nu / (gap * grid.size(row));
        terms.high[1] = nu / (gap * grid.size(row + 1));
        terms.pressure = 1 / gap;
    } else {
        const double size = grid.size(row);
        terms.before[1] = terms.behind[1] = 1 / (4 * size);
        terms.low[1] = nu / (size * grid.gap(row - 1));
        terms.high[1] = nu / (size * grid.gap(row));
        terms.pressure = 1 / domain.spacing(component);
    }
    return terms;
}

Place place_of(const Flow& flow, std::size_t component, Index j, Index k) {
    const auto& [u, v, w] = flow.velocity;
    const std::array<Index, 3> strides{u.stride(0), u.stride(1), u.stride(2)};
    return {.own = flow.velocity[component].row(j, k),
            .carrying = {u.row(j, k), v.row(j, k), w.row(j, k)},
            .pressure = flow.pressure.row(j, k),
            .strides = strides,
            .own_stride = strides[component]};
}

WAYWISER_CLONES void momentum_row(const Place& place, const Terms& terms, const Weights& weights, Index points,
                                  double* taken, double* change) {
    if (weights.scheme == Scheme::cn_ab) return change_row<false>(place, terms, weights, points, taken, change);
    change_row<true>(place, terms, weights, points, taken, change);
}

}  // namespace waywiser::tbl
