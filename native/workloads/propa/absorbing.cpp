#include "workloads/propa/absorbing.hpp"

#include "base/error.hpp"
#include "workloads/common/clones.hpp"
#include "workloads/stencil/exact.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <numbers>
#include <string>
#include <type_traits>
#include <utility>

// Vectors are wider than the registers of a baseline CPU, but all functions that return them are inlined.
#pragma GCC diagnostic ignored "-Wpsabi"

namespace waywiser::propa {
namespace {

/// Amplitude that remains of a wave after crossing the layer twice. Measurements: docs/waves.md.
constexpr double remainder = 1e-5;

/// Coefficient c_k of the first difference sum c_k (u(k) - u(-k)) of order 2m.
double first_coefficient(int m, int k) {
    double c = k % 2 == 1 ? 1.0 / k : -1.0 / k;  // (-1)^(k+1) (m!)^2 / (k (m-k)! (m+k)!)
    for (int i = 1; i <= k; ++i) c *= static_cast<double>(m - k + i) / static_cast<double>(m + i);
    return c;
}

/// Rows of a layer whose differences involve no other rows. The rows are adjacent along the layer's axis, or along axis
/// 2 if the layer's axis is axis 1. They are few enough to stay in cache between both passes of `advance_rows`.
template <class Real>
struct Rows {
    Index points;  ///< points of a row
    Index count;
    const Real* in;
    Index in_stride;  ///< stride of the layer's axis
    Index in_step;    ///< stride to the next row, like the other steps
    const Real* factor;
    Index factor_step;
    Real* out;
    Index out_step;
    Real* psi;
    Index psi_stride;
    Index psi_step;
    Real* zeta;
    Index zeta_step;
    const Real* a;
    const Real* b;
    bool along;  ///< true: the layer's axis is along the rows, and a and b vary by point; false: by row
};

/// Operations on `count` neighbouring values of a row, held in registers, with differences of order 2 * `radius`.
template <class Real, int radius, int count>
struct Piece {
    using Values [[gnu::vector_size(count * sizeof(Real))]] = Real;
    using First = std::span<const Real, radius>;
    using Second = std::span<const Real, radius + 1>;

    [[gnu::always_inline]] static Values at(const Real* place) {
        Values values;
        std::memcpy(&values, place, sizeof values);
        return values;
    }
    [[gnu::always_inline]] static void put(const Values& values, Real* place) {
        std::memcpy(place, &values, sizeof values);
    }

    /// sum c_k (u(k) - u(-k))
    [[gnu::always_inline]] static Values slope(const Real* u, Index stride, First c) {
        Values sum{};
        for (std::size_t k = 0; k < c.size(); ++k) {
            const Index distance = static_cast<Index>(k + 1) * stride;
            sum += c[k] * (at(u + distance) - at(u - distance));
        }
        return sum;
    }

    /// a_0 u + sum a_k (u(k) + u(-k))
    [[gnu::always_inline]] static Values curvature(const Real* u, Index stride, Second a) {
        Values sum = a[0] * at(u);
        for (std::size_t k = 1; k < a.size(); ++k) {
            const Index distance = static_cast<Index>(k) * stride;
            sum += a[k] * (at(u + distance) + at(u - distance));
        }
        return sum;
    }

    /// field = a field + b source, in row `r`
    [[gnu::always_inline]] static Values remember(const Rows<Real>& rows, Index r, Index first, const Values& source,
                                                  Real* field) {
        const Values before = at(field + first);
        const Values now = rows.along ? at(rows.a + first) * before + at(rows.b + first) * source
                                      : rows.a[r] * before + rows.b[r] * source;
        put(now, field + first);
        return now;
    }

    [[gnu::always_inline]] static void advance_psi(const Rows<Real>& rows, Index r, Index first, First c) {
        const Values source = slope(rows.in + r * rows.in_step + first, rows.in_stride, c);
        remember(rows, r, first, source, rows.psi + r * rows.psi_step);
    }

    [[gnu::always_inline]] static void advance_field(const Rows<Real>& rows, Index r, Index first, First c, Second a) {
        const Values steeper = slope(rows.psi + r * rows.psi_step + first, rows.psi_stride, c);
        const Values source = steeper + curvature(rows.in + r * rows.in_step + first, rows.in_stride, a);
        const Values zeta = remember(rows, r, first, source, rows.zeta + r * rows.zeta_step);
        Real* out = rows.out + r * rows.out_step + first;
        put(at(out) + at(rows.factor + r * rows.factor_step + first) * (steeper + zeta), out);
    }
};

/// Calls `body(first, count)` for pieces of a row: first of 16 values, then of four, then of one.
template <class Body>
[[gnu::always_inline]] inline void each_piece(Index points, const Body& body) {
    Index i = 0;
    for (; i + 16 <= points; i += 16) body(i, std::integral_constant<int, 16>());
    for (; i + 4 <= points; i += 4) body(i, std::integral_constant<int, 4>());
    for (; i < points; ++i) body(i, std::integral_constant<int, 1>());
}

template <class Real, int radius>
[[gnu::always_inline]] inline void advance_rows(const Rows<Real>& rows, std::span<const Real, radius> c,
                                                std::span<const Real, radius + 1> a) {
    for (Index r = 0; r < rows.count; ++r) {
        each_piece(rows.points, [&](Index first, auto n) __attribute__((always_inline)) {
            Piece<Real, radius, n()>::advance_psi(rows, r, first, c);
        });
    }
    for (Index r = 0; r < rows.count; ++r) {
        each_piece(rows.points, [&](Index first, auto n) __attribute__((always_inline)) {
            Piece<Real, radius, n()>::advance_field(rows, r, first, c, a);
        });
    }
}

/// Advances rows with loops that are unrolled for the order of the differences.
template <class Real, int... below>
[[gnu::always_inline]] inline void advance_order(const Rows<Real>& rows, std::span<const Real> c,
                                                 std::span<const Real> a,
                                                 std::integer_sequence<int, below...> /*radii*/) {
    ((c.size() == below + 1
          ? advance_rows<Real, below + 1>(rows, c.template first<below + 1>(), a.template first<below + 2>())
          : void()),
     ...);
}

constexpr std::make_integer_sequence<int, stencil::greatest_order / 2> radii;

WAYWISER_CLONES
void advance(const Rows<float>& rows, std::span<const float> first, std::span<const float> second) {
    advance_order(rows, first, second, radii);
}
WAYWISER_CLONES
void advance(const Rows<double>& rows, std::span<const double> first, std::span<const double> second) {
    advance_order(rows, first, second, radii);
}

/// Coefficients a and b at a relative depth in the layer, from 0 at the inner edge to 1 at the face.
std::array<double, 2> memory(const Absorption& s, double spacing_m, double place) {
    const double length_m = spacing_m * static_cast<double>(s.width);
    const double damping = -1.5 * s.fastest_m_s * std::log(remainder) / length_m * place * place;
    const double shift = std::numbers::pi * s.frequency_Hz * (1 - place);
    const double a = std::exp(-(damping + shift) * s.dt_s);
    return {a, damping / (damping + shift) * (a - 1)};
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
Index AbsorbingLayers<Real>::points() const {
    Index sum = 0;
    for (const Layer& layer : layers_) sum += layer.region.points();
    return sum;
}

template <class Real>
void AbsorbingLayers<Real>::apply(const Grid<Real>& in, const Grid<Real>& factor, Grid<Real>& out) {
    for (Layer& layer : layers_) {
        const Region& r = layer.region;
        const std::size_t axis = layer.axis;
        const std::size_t beside = axis == 2 ? 2 : 1;  // axis on which the rows of an advance are adjacent
        const std::size_t across = 3 - beside;
#pragma omp parallel for schedule(static)
        for (Index j = 0; j < r.extent(across); ++j) {
            const Index j2 = across == 1 ? j : 0;
            const Index j3 = across == 2 ? j : 0;
            const auto at = [&](const Grid<Real>& grid) { return grid.row(r.lo[1] + j2, r.lo[2] + j3) + r.lo[0]; };
            advance(Rows<Real>{.points = r.extent(0),
                               .count = r.extent(beside),
                               .in = at(in),
                               .in_stride = in.stride(axis),
                               .in_step = in.stride(beside),
                               .factor = at(factor),
                               .factor_step = factor.stride(beside),
                               .out = out.row(r.lo[1] + j2, r.lo[2] + j3) + r.lo[0],
                               .out_step = out.stride(beside),
                               .psi = layer.psi.row(j2, j3),
                               .psi_stride = layer.psi.stride(axis),
                               .psi_step = layer.psi.stride(beside),
                               .zeta = layer.zeta.row(j2, j3),
                               .zeta_step = layer.zeta.stride(beside),
                               .a = layer.a.data(),
                               .b = layer.b.data(),
                               .along = axis == 0},
                    std::span<const Real>(first_[axis]), std::span<const Real>(second_[axis]));
        }
    }
}

template class AbsorbingLayers<float>;
template class AbsorbingLayers<double>;

}  // namespace waywiser::propa
