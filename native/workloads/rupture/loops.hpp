/// Loops of kernels.hpp: templates over order, precision and register width. They are inlined into functions that are
/// each compiled for one instruction set.
///
/// Sources: M. Dumbser, M. Kaeser, "An arbitrary high-order discontinuous Galerkin method for elastic waves on
/// unstructured meshes - II. The three-dimensional isotropic case", Geophysical Journal International 167(1), 2006,
/// pp. 319-336, doi:10.1111/j.1365-246X.2006.03120.x; L. C. Wilcox, G. Stadler, C. Burstedde, O. Ghattas, "A high-order
/// discontinuous Galerkin method for wave propagation through coupled elastic-acoustic media", Journal of Computational
/// Physics 229(24), 2010, pp. 9373-9396, doi:10.1016/j.jcp.2010.09.008 (upwind flux for two materials, strong form).
#pragma once

#include "workloads/rupture/kernels.hpp"

#include <cstring>

namespace waywiser::rupture {

/// In all functions, `first` is a register's first lane in the group.
template <int order, class Real, int bytes>
struct Loops {
    // The alignment is at most the register's width, because narrower registers access a cache line in parts.
    typedef Real Vector [[gnu::vector_size(bytes), gnu::aligned(bytes), gnu::may_alias]];
    static constexpr int step = lanes<Real>;
    static constexpr int width = bytes / static_cast<int>(sizeof(Real));
    static constexpr int functions = cell_functions(order);
    static constexpr int nodes = face_functions(order);
    static constexpr bool many_registers = bytes == 64;

    [[gnu::always_inline]] static const Vector& at(const Real* p) { return *reinterpret_cast<const Vector*>(p); }
    [[gnu::always_inline]] static Vector& at(Real* p) { return *reinterpret_cast<Vector*>(p); }

    /// Overwrites d, row after row, with the coefficients of derivative i in time, and adds their weighted values to
    /// the integral and to q. `from` may be d, because a row depends only on columns of higher degree.
    [[gnu::always_inline]] static void differentiate(const Work<Real>& w, int first, int i, const Real* from, Real* d,
                                                     Real* integral, Real for_integral, Real for_q) {
        const GroupLanes<Real>& g = *w.group;
        const Vector lambda = at(g.lambda + first);
        const Vector two_mu = at(g.mu + first) + at(g.mu + first);
        const Vector mu = at(g.mu + first);
        const Vector inverse_rho = at(g.inverse_rho + first);
        for (int row = 0; row < cell_functions(order - i); ++row) {
            Vector force[3] = {};
            Vector strain[6] = {};  // The shear components are twice those of the tensor.
            for (int c = 0; c < 3; ++c) {
                const auto& matrix = w.tables->derivative[c];
                std::int32_t entry = matrix.begin[static_cast<std::size_t>(row)];
                const std::int32_t end = matrix.end[static_cast<std::size_t>(i) - 1][static_cast<std::size_t>(row)];
                if (entry == end) continue;
                Vector a[9] = {};
                for (; entry < end; ++entry) {
                    const Real m = matrix.value[static_cast<std::size_t>(entry)];
                    const Real* x = from + matrix.column[static_cast<std::size_t>(entry)] * (9 * step) + first;
#pragma GCC unroll 9
                    for (int j = 0; j < 9; ++j) a[j] += m * at(x + j * step);
                }
                const Vector jx = at(g.inverse_jacobian[3 * c] + first);
                const Vector jy = at(g.inverse_jacobian[3 * c + 1] + first);
                const Vector jz = at(g.inverse_jacobian[3 * c + 2] + first);
                force[0] += jx * a[0] + jy * a[3] + jz * a[5];
                force[1] += jx * a[3] + jy * a[1] + jz * a[4];
                force[2] += jx * a[5] + jy * a[4] + jz * a[2];
                strain[0] += jx * a[6];
                strain[1] += jy * a[7];
                strain[2] += jz * a[8];
                strain[3] += jy * a[6] + jx * a[7];
                strain[4] += jz * a[7] + jy * a[8];
                strain[5] += jz * a[6] + jx * a[8];
            }
            const Vector volume = lambda * (strain[0] + strain[1] + strain[2]);
            const Vector rate[9] = {volume + two_mu * strain[0],
                                    volume + two_mu * strain[1],
                                    volume + two_mu * strain[2],
                                    mu * strain[3],
                                    mu * strain[4],
                                    mu * strain[5],
                                    inverse_rho * force[0],
                                    inverse_rho * force[1],
                                    inverse_rho * force[2]};
            const int begin = row * (9 * step) + first;
#pragma GCC unroll 9
            for (int j = 0; j < 9; ++j) {
                at(d + begin + j * step) = rate[j];
                at(integral + begin + j * step) += for_integral * rate[j];
                at(w.q + begin + j * step) += for_q * rate[j];
            }
        }
    }

    /// Computes out(row, c) = sum over k of matrix(row, k) x(k, c), a few rows at a time, so that each x is loaded once
    /// for several rows.
    template <int rows, int columns, int inner, int block, class Store>
    [[gnu::always_inline]] static void multiply(const Real* matrix, const Real* x, const Store& store) {
        constexpr int whole = rows / block * block;
        for (int row = 0; row < whole; row += block) multiply_rows<rows, columns, inner, block>(matrix, x, row, store);
        if constexpr (whole < rows) multiply_rows<rows, columns, inner, rows - whole>(matrix, x, whole, store);
    }

    template <int rows, int columns, int inner, int block, class Store>
    [[gnu::always_inline]] static void multiply_rows(const Real* matrix, const Real* x, int row, const Store& store) {
        Vector sum[block][columns] = {};
        const Real* m = matrix + row;
        for (int k = 0; k < inner; ++k, m += rows, x += columns * step) {
#pragma GCC unroll 8
            for (int c = 0; c < columns; ++c) {
                const Vector value = at(x + c * step);
#pragma GCC unroll 8
                for (int r = 0; r < block; ++r) sum[r][c] += m[r] * value;
            }
        }
#pragma GCC unroll 8
        for (int r = 0; r < block; ++r) store(row + r, sum[r]);
    }

    /// Computes traction and outgoing characteristic of coefficients d at the nodes of a face; out is nodes x 6.
    [[gnu::always_inline]] static void trace(const Work<Real>& w, int first, int face, int terms, const Real* d,
                                             Real* x, Real* out) {
        const GroupLanes<Real>& g = *w.group;
        const FaceLanes<Real>& f = g.faces[face];
        const Vector nx = at(f.normal[0] + first);
        const Vector ny = at(f.normal[1] + first);
        const Vector nz = at(f.normal[2] + first);
        const Vector zs = at(g.zs + first);
        const Vector more = at(g.zp + first) - zs;
        for (int k = 0; k < terms; ++k) {
            const Real* q = d + k * (9 * step) + first;
            Real* t = x + k * (6 * step) + first;
            const Vector v0 = at(q + 6 * step);
            const Vector v1 = at(q + 7 * step);
            const Vector v2 = at(q + 8 * step);
            const Vector along = more * (nx * v0 + ny * v1 + nz * v2);
            const Vector t0 = nx * at(q) + ny * at(q + 3 * step) + nz * at(q + 5 * step);
            const Vector t1 = nx * at(q + 3 * step) + ny * at(q + step) + nz * at(q + 4 * step);
            const Vector t2 = nx * at(q + 5 * step) + ny * at(q + 4 * step) + nz * at(q + 2 * step);
            at(t) = t0;
            at(t + step) = t1;
            at(t + 2 * step) = t2;
            at(t + 3 * step) = t0 - zs * v0 - along * nx;
            at(t + 4 * step) = t1 - zs * v1 - along * ny;
            at(t + 5 * step) = t2 - zs * v2 - along * nz;
        }
        std::memset(x + terms * (6 * step), 0, sizeof(Real) * static_cast<std::size_t>((functions - terms) * 6 * step));
        const auto store = [&](int row, const Vector* sum) __attribute__((always_inline)) {
            for (int c = 0; c < 6; ++c) at(out + row * (6 * step) + first + c * step) = sum[c];
        };
        multiply<nodes, 6, functions, many_registers ? 4 : 2>(w.tables->trace[face].data(), x + first, store);
    }

    /// Stores the cell's own part of the jump: its traction less the contribution of its characteristic to the
    /// interface's traction.
    [[gnu::always_inline]] static void keep(const Work<Real>& w, int first, int face, const Real* traced, Real* kept) {
        const FaceLanes<Real>& f = w.group->faces[face];
        const Vector n[3] = {at(f.normal[0] + first), at(f.normal[1] + first), at(f.normal[2] + first)};
        const Vector weight = at(f.traction + first);
        const Vector own_s = at(f.own_s + first);
        const Vector more = at(f.own_p + first) - own_s;
        for (int node = 0; node < nodes; ++node) {
            const Real* t = traced + node * (6 * step) + first;
            const Vector out[3] = {at(t + 3 * step), at(t + 4 * step), at(t + 5 * step)};
            const Vector along = more * (n[0] * out[0] + n[1] * out[1] + n[2] * out[2]);
            for (int c = 0; c < 3; ++c) {
                at(kept + (node * 3 + c) * step + first) = weight * at(t + c * step) - own_s * out[c] - along * n[c];
            }
        }
    }

    /// Computes the jump at the nodes of a face: the neighbour's contribution less the part that `keep` stored.
    [[gnu::always_inline]] static void jump(const Work<Real>& w, int first, int face, const Real* kept, Real* x) {
        const FaceLanes<Real>& f = w.group->faces[face];
        for (int lane = first; lane < first + width; ++lane) {
            const Real* from = w.origin + f.source[w.odd][lane];
            const std::int32_t* number = w.tables->rotated[f.order[lane]].data();
            for (int node = 0; node < nodes; ++node) {
                const Real* value = from + 3 * number[node];
                for (int c = 0; c < 3; ++c) x[(node * 3 + c) * step + lane] = value[c];
            }
        }
        const Vector n[3] = {at(f.normal[0] + first), at(f.normal[1] + first), at(f.normal[2] + first)};
        const Vector other_s = at(f.other_s + first);
        const Vector more = at(f.other_p + first) - other_s;
        for (int node = 0; node < nodes; ++node) {
            Real* t = x + node * (3 * step) + first;
            const Vector in[3] = {at(t), at(t + step), at(t + 2 * step)};
            const Vector along = more * (n[0] * in[0] + n[1] * in[1] + n[2] * in[2]);
            for (int c = 0; c < 3; ++c) {
                at(t + c * step) = other_s * in[c] + along * n[c] - at(kept + (node * 3 + c) * step + first);
            }
        }
    }

    /// Adds to q the contribution of the jump x of the traction on a face. The flux's jump has rank three.
    [[gnu::always_inline]] static void lift(const Work<Real>& w, int first, int face, const Real* x) {
        const GroupLanes<Real>& g = *w.group;
        const FaceLanes<Real>& f = g.faces[face];
        const Vector nx = at(f.normal[0] + first);
        const Vector ny = at(f.normal[1] + first);
        const Vector nz = at(f.normal[2] + first);
        const Vector scale = at(f.lift + first);
        const Vector for_v = scale * at(g.inverse_rho + first);
        const Vector for_volume = scale * at(g.lambda + first) / at(g.zp + first);
        const Vector for_shear = scale * at(g.mu + first) / at(g.zs + first);
        const Vector for_normal = scale * at(g.mu + first) / at(g.zp + first) - for_shear;
        const auto store = [&](int row, const Vector* y) __attribute__((always_inline)) {
            Real* q = w.q + row * (9 * step) + first;
            const Vector along = nx * y[0] + ny * y[1] + nz * y[2];
            const Vector volume = for_volume * along;
            const Vector normal = for_normal * along;
            const Vector dx = for_shear * y[0] + normal * nx;  // This is mu times the jump of the velocity.
            const Vector dy = for_shear * y[1] + normal * ny;
            const Vector dz = for_shear * y[2] + normal * nz;
            at(q) += volume + 2 * nx * dx;
            at(q + step) += volume + 2 * ny * dy;
            at(q + 2 * step) += volume + 2 * nz * dz;
            at(q + 3 * step) += nx * dy + ny * dx;
            at(q + 4 * step) += ny * dz + nz * dy;
            at(q + 5 * step) += nx * dz + nz * dx;
            at(q + 6 * step) += for_v * y[0];
            at(q + 7 * step) += for_v * y[1];
            at(q + 8 * step) += for_v * y[2];
        };
        multiply<functions, 3, nodes, many_registers ? 7 : 4>(w.tables->lift[face].data(), x + first, store);
    }

    /// Publishes the trace of a face in the slots from which neighbours read it.
    [[gnu::always_inline]] static void publish(int first, const Real* traced, int from, Real* out, int lane_stride) {
        for (int lane = first; lane < first + width; ++lane) {
            Real* to = out + lane * lane_stride;
            for (int node = 0; node < nodes; ++node) {
                for (int c = 0; c < 3; ++c) to[node * 3 + c] = traced[(node * 6 + from + c) * step + lane];
            }
        }
    }

    /// Publishes the trace of a face in a group where some neighbours have another step. `half` is the trace of the
    /// first half of the step.
    [[gnu::always_inline]] static void publish_parts(const Work<Real>& w, int first, int face, const Real* traced,
                                                     const Real* half) {
        const FaceLanes<Real>& f = w.group->faces[face];
        for (int lane = first; lane < first + width; ++lane) {
            const bool halves = f.second_half[lane] >= 0;
            const bool adds = w.odd != 0 && f.adds[lane] != 0;
            Real* to = w.published + (lane * 4 + face) * 3 * nodes;
            Real* second = w.origin + f.second_half[lane];
            for (int k = 0; k < 3 * nodes; ++k) {
                const int at = (k / 3 * 6 + 3 + k % 3) * step + lane;
                if (halves) {
                    to[k] = half[at];
                    second[k] = traced[at] - half[at];
                } else {
                    to[k] = adds ? to[k] + traced[at] : traced[at];
                }
            }
        }
    }

    [[gnu::always_inline]] static bool any(const std::int64_t* slots, int first) {
        for (int lane = first; lane < first + width; ++lane) {
            if (slots[lane] >= 0) return true;
        }
        return false;
    }

    /// Computes w and the traction of derivative i on the fault faces of the group; with i = order, the traction of the
    /// integral.
    [[gnu::always_inline]] static void trace_fault(const Work<Real>& w, int first, int i, int terms, const Real* d,
                                                   Real* x, Real* traced) {
        for (int face = 0; face < 4; ++face) {
            if (!any(w.group->fault_side[face], first)) continue;
            trace(w, first, face, terms, d, x, traced);
            for (int lane = first; lane < first + width; ++lane) {
                const std::int64_t side = w.group->fault_side[face][lane];
                if (side < 0) continue;
                const std::int32_t* number = w.tables->rotated[w.group->faces[face].order[lane]].data();
                const auto put = [&](int from, int k) __attribute__((always_inline)) {
                    Real* to = w.fault_traces + side + k * 3 * nodes * step;
                    for (int node = 0; node < nodes; ++node) {
                        const Real* value = traced + (node * 6 + from) * step + lane;
                        Real* place = to + number[node] * (3 * step);
                        for (int c = 0; c < 3; ++c, value += step, place += step) *place = *value;
                    }
                };
                put(i == order ? 0 : 3, i);
                if (i < order) put(0, order + 1 + i);
            }
        }
    }

    [[gnu::always_inline]] static void predict(const Work<Real>& w) {
        for (int first = 0; first < step; first += width) predict(w, first);
    }

    /// Adds the contribution of derivative i, or of q if i is 0, to the integral over the first half of the step. The
    /// derivative is overwritten afterwards.
    [[gnu::always_inline]] static void record(const Work<Real>& w, int first, int i, const Real* d, Real* half,
                                              Real for_half) {
        if (!w.group->halves) return;
        for (int k = 0; k < cell_functions(order - i) * 9; ++k) {
            const Vector share = for_half * at(d + k * step + first);
            at(half + k * step + first) = i == 0 ? share : at(half + k * step + first) + share;
        }
    }

    [[gnu::always_inline]] static void predict(const Work<Real>& w, int first) {
        Real* d = w.scratch;
        Real* integral = d + functions * 9 * step;
        Real* half = integral + functions * 9 * step;
        Real* x = half + functions * 9 * step;
        Real* traced = x + functions * 6 * step;
        Real* half_traced = traced + nodes * 6 * step;
        const Real dt = static_cast<Real>(w.dt);
        const bool fault = w.group->has_fault;
        if (fault) trace_fault(w, first, 0, functions, w.q, x, traced);
        record(w, first, 0, w.q, half, dt / 2);
        for (int k = 0; k < functions * 9; ++k) at(integral + k * step + first) = dt * at(w.q + k * step + first);
        double for_q = 1;
        double halved = 0.5;
        const Real* from = w.q;
        for (int i = 1; i < order; ++i) {
            for_q *= w.dt / i;
            const double for_integral = for_q * w.dt / (i + 1);
            differentiate(w, first, i, from, d, integral, static_cast<Real>(for_integral), static_cast<Real>(for_q));
            if (fault) trace_fault(w, first, i, cell_functions(order - i), d, x, traced);
            halved /= 2;
            record(w, first, i, d, half, static_cast<Real>(halved * for_integral));
            from = d;
        }
        if (fault) trace_fault(w, first, order, functions, integral, x, traced);
        for (int face = 0; face < 4; ++face) {
            const bool halves = w.group->halves && any(w.group->faces[face].second_half, first);
            // The loop contains a single call, because the call is inlined.
            for (int part = 0; part <= (halves ? 1 : 0); ++part) {
                trace(w, first, face, functions, part == 0 ? integral : half, x, part == 0 ? traced : half_traced);
            }
            keep(w, first, face, traced, w.kept + face * 3 * nodes * step);
            if (w.group->halves || w.group->sums) {
                publish_parts(w, first, face, traced, half_traced);
            } else {
                publish(first, traced, 3, w.published + face * 3 * nodes, 4 * 3 * nodes);
            }
        }
    }

    [[gnu::always_inline]] static void correct(const Work<Real>& w) {
        for (int first = 0; first < step; first += width) {
            for (int face = 0; face < 4; ++face) {
                jump(w, first, face, w.kept + face * 3 * nodes * step, w.scratch);
                lift(w, first, face, w.scratch);
            }
        }
    }
};

}  // namespace waywiser::rupture
