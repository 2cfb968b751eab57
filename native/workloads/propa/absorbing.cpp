#include "workloads/propa/absorbing.hpp"

#include "base/error.hpp"
#include "workloads/common/clones.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <string>
#include <type_traits>

namespace waywiser::propa {
namespace {

/// What a wave is to be damped to that crosses the layer and comes back. Measured: docs/waves.md.
constexpr double remainder = 1e-5;

/// c_k of sum c_k (u(k) - u(-k)) = u', order 2m.
double first_coefficient(int m, int k) {
    double c = k % 2 == 1 ? 1.0 / k : -1.0 / k;  // (-1)^(k+1) (m!)^2 / (k (m-k)! (m+k)!)
    for (int i = 1; i <= k; ++i) c *= static_cast<double>(m - k + i) / static_cast<double>(m + i);
    return c;
}

/// A row of a layer: its points, those of the fields at the same places, and the memory there.
template <class Real>
struct Row {
    Index points;
    const Real* in;
    Index in_stride;  ///< of the layer's axis
    Real* psi;
    Index psi_stride;
    const Real* a;
    const Real* b;
    bool varies;  ///< a and b are by the point; else they are one for the row
};

/// As many values as fill a few registers.
constexpr Index lanes = 16;

/// Calls `body(first, count)` for pieces of a row; all but the last are whole, which the compiler is told.
template <class Body>
[[gnu::always_inline]] inline void each_piece(Index points, const Body& body) {
    Index i = 0;
    for (; i + lanes <= points; i += lanes) body(i, std::integral_constant<Index, lanes>());
    if (i < points) body(i, points - i);
}

/// sum c_k (u(k) - u(-k))
template <class Real, class Count>
[[gnu::always_inline]] inline void add_slope(const Real* u, Index stride, std::span<const Real> c, Count n, Real* sum) {
    for (std::size_t k = 0; k < c.size(); ++k) {
        const Index distance = static_cast<Index>(k + 1) * stride;
        for (Index i = 0; i < n; ++i) sum[i] += c[k] * (u[i + distance] - u[i - distance]);
    }
}

/// a_0 u + sum a_k (u(k) + u(-k))
template <class Real, class Count>
[[gnu::always_inline]] inline void add_curvature(const Real* u, Index stride, std::span<const Real> a, Count n,
                                                 Real* sum) {
    for (Index i = 0; i < n; ++i) sum[i] += a[0] * u[i];
    for (std::size_t k = 1; k < a.size(); ++k) {
        const Index distance = static_cast<Index>(k) * stride;
        for (Index i = 0; i < n; ++i) sum[i] += a[k] * (u[i + distance] + u[i - distance]);
    }
}

/// field = a field + b source
template <class Real, class Count>
[[gnu::always_inline]] inline void remember(const Row<Real>& row, Index first, Count n, const Real* source,
                                            Real* field) {
    if (row.varies) {
        for (Index i = 0; i < n; ++i) field[i] = row.a[first + i] * field[i] + row.b[first + i] * source[i];
    } else {
        for (Index i = 0; i < n; ++i) field[i] = row.a[0] * field[i] + row.b[0] * source[i];
    }
}

template <class Real>
[[gnu::always_inline]] inline void psi_loop(const Row<Real>& row, std::span<const Real> first_derivative) {
    each_piece(row.points, [&](Index first, auto n) __attribute__((always_inline)) {
        Real slope[lanes] = {};
        add_slope(row.in + first, row.in_stride, first_derivative, n, slope);
        remember(row, first, n, slope, row.psi + first);
    });
}

template <class Real>
[[gnu::always_inline]] inline void field_loop(const Row<Real>& row, std::span<const Real> first_derivative,
                                              std::span<const Real> second_derivative, const Real* factor, Real* zeta,
                                              Real* out) {
    each_piece(row.points, [&](Index first, auto n) __attribute__((always_inline)) {
        Real slope[lanes] = {};
        add_slope(static_cast<const Real*>(row.psi) + first, row.psi_stride, first_derivative, n, slope);
        Real curvature[lanes] = {};
        for (Index i = 0; i < n; ++i) curvature[i] = slope[i];
        add_curvature(row.in + first, row.in_stride, second_derivative, n, curvature);
        remember(row, first, n, curvature, zeta + first);
        for (Index i = 0; i < n; ++i) out[first + i] += factor[first + i] * (slope[i] + zeta[first + i]);
    });
}

WAYWISER_CLONES
void advance_psi_row(const Row<float>& row, std::span<const float> first) { psi_loop(row, first); }
WAYWISER_CLONES
void advance_psi_row(const Row<double>& row, std::span<const double> first) { psi_loop(row, first); }
WAYWISER_CLONES
void advance_field_row(const Row<float>& row, std::span<const float> first, std::span<const float> second,
                       const float* factor, float* zeta, float* out) {
    field_loop(row, first, second, factor, zeta, out);
}
WAYWISER_CLONES
void advance_field_row(const Row<double>& row, std::span<const double> first, std::span<const double> second,
                       const double* factor, double* zeta, double* out) {
    field_loop(row, first, second, factor, zeta, out);
}

/// a and b at a place in the layer, from 0 at its inner edge to 1 at the face.
std::array<double, 2> memory(const Absorption& s, double spacing_m, double place) {
    const double length_m = spacing_m * static_cast<double>(s.width);
    const double damping = -1.5 * s.fastest_m_s * std::log(remainder) / length_m * place * place;
    const double shift = std::numbers::pi * s.frequency_Hz * (1 - place);
    const double a = std::exp(-(damping + shift) * s.dt_s);
    return {a, damping / (damping + shift) * (a - 1)};
}

/// Calls `body(j2, j3)` for the rows of a layer, shared by the threads.
template <class Body>
void each_row(const Region& region, Body body) {
#pragma omp parallel for collapse(2) schedule(static)
    for (Index j3 = 0; j3 < region.extent(2); ++j3) {
        for (Index j2 = 0; j2 < region.extent(1); ++j2) body(j2, j3);
    }
}

}  // namespace

template <class Real>
AbsorbingLayers<Real>::AbsorbingLayers(const Cartesian& cartesian, const Absorption& absorption,
                                       std::span<const SurfaceFace> faces) {
    const int m = absorption.order / 2;
    for (std::size_t axis = 0; axis < 3; ++axis) {
        const double h = absorption.spacings_m[axis];
        double centre = 0;
        second_[axis].push_back(0);
        for (int k = 1; k <= m; ++k) {
            const double c = first_coefficient(m, k);
            const double a = 2 * c / k;
            first_[axis].push_back(static_cast<Real>(c / h));
            second_[axis].push_back(static_cast<Real>(a / (h * h)));
            centre -= 2 * a / (h * h);
        }
        second_[axis][0] = static_cast<Real>(centre);
    }
    for (const SurfaceFace& face : faces) {
        const Index least = cartesian.points()[face.axis] / cartesian.ranks()[face.axis];
        const Index layers = cartesian.ranks()[face.axis] == 1 ? 2 : 1;
        require(least >= layers * absorption.width,
                "absorbing layers of " + std::to_string(absorption.width) + " points do not fit into the " +
                    std::to_string(least) + " points that a rank has on axis " + std::to_string(face.axis + 1) +
                    ": give more points, fewer ranks on that axis, or a lower --layer");
        if (cartesian.neighbour(face.axis, face.side) < 0) add_layer(cartesian, absorption, face);
    }
}

template <class Real>
void AbsorbingLayers<Real>::add_layer(const Cartesian& cartesian, const Absorption& absorption,
                                      const SurfaceFace& face) {
    const Index width = absorption.width;
    Layer layer;
    layer.axis = face.axis;
    layer.region = {{0, 0, 0}, cartesian.owned_points()};
    if (face.side == Side::low) layer.region.hi[face.axis] = width;
    if (face.side == Side::high) layer.region.lo[face.axis] = layer.region.hi[face.axis] - width;
    const Region& r = layer.region;
    const Index3 inner{r.extent(0), r.extent(1), r.extent(2)};
    Index3 halo{};
    halo[face.axis] = absorption.order / 2;
    layer.psi = Grid<Real>(inner, halo);
    layer.zeta = Grid<Real>(inner, {});
    for (Index j = 0; j < width; ++j) {
        const Index from_face = face.side == Side::low ? j : width - 1 - j;
        const double place = static_cast<double>(width - from_face) / static_cast<double>(width);
        const auto [a, b] = memory(absorption, absorption.spacings_m[face.axis], place);
        layer.a.push_back(static_cast<Real>(a));
        layer.b.push_back(static_cast<Real>(b));
    }
    layers_.push_back(std::move(layer));
}

template <class Real>
void AbsorbingLayers<Real>::clear() {
    for (Layer& layer : layers_) {
        layer.psi.fill([](Index, Index, Index) { return 0; });
        layer.zeta.fill([](Index, Index, Index) { return 0; });
    }
}

template <class Real>
void AbsorbingLayers<Real>::apply(const Grid<Real>& in, const Grid<Real>& factor, Grid<Real>& out) {
    for (Layer& layer : layers_) {
        const Region& r = layer.region;
        const std::size_t axis = layer.axis;
        const auto row = [&](Index j2, Index j3) -> Row<Real> {
            const Index place = axis == 0 ? 0 : axis == 1 ? j2 : j3;
            return {.points = r.extent(0),
                    .in = in.row(r.lo[1] + j2, r.lo[2] + j3) + r.lo[0],
                    .in_stride = in.stride(axis),
                    .psi = layer.psi.row(j2, j3),
                    .psi_stride = layer.psi.stride(axis),
                    .a = layer.a.data() + place,
                    .b = layer.b.data() + place,
                    .varies = axis == 0};
        };
        each_row(r, [&](Index j2, Index j3) { advance_psi_row(row(j2, j3), std::span<const Real>(first_[axis])); });
        each_row(r, [&](Index j2, Index j3) {
            const Real* square = factor.row(r.lo[1] + j2, r.lo[2] + j3) + r.lo[0];
            Real* field = out.row(r.lo[1] + j2, r.lo[2] + j3) + r.lo[0];
            advance_field_row(row(j2, j3), std::span<const Real>(first_[axis]), std::span<const Real>(second_[axis]),
                              square, layer.zeta.row(j2, j3), field);
        });
    }
}

template class AbsorbingLayers<float>;
template class AbsorbingLayers<double>;

}  // namespace waywiser::propa
