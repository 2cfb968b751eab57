/// The block-tridiagonal systems of BT, with one line in each lane. Blocks are computed when elimination needs them.
#pragma once

#include "workloads/npb/packed_lines.hpp"

namespace waywiser::npb {

/// True if row m of a block that couples points has an entry in column n: unknown 1 is the momentum along the line.
[[nodiscard]] constexpr bool couples(int m, int n) {
    if (m == 0) return n <= 1;
    return m == 1 || m == 4 || n <= 1 || n == m;
}

/// Rows of the blocks of a point, along a line.
template <class V>
struct BlockRows {
    [[gnu::always_inline]] BlockRows(double dt, double diffused, Index points)
        : first(dt * Differences(points).first),
          second(dt * Differences(points).second),
          diffusion(second * diffused) {}

    /// Row m of dt (sign first convective - second (viscous + diffusion)), in the columns for which `couples` is true.
    template <int m>
    [[gnu::always_inline]] void coupling(const Flow<V>& f, double sign, V* row) const {
        const double scale = sign * first;
        const V normal = f.velocity[0];
        const V moved = scale * normal;
        if constexpr (m == 0) {
            row[0] = V{};
            row[1] = V{} + scale;
        } else if constexpr (m == 4) {
            const V enthalpy = f.energy + f.work;
            row[0] = moved * (pressure_factor * f.kinetic - enthalpy);
            row[1] = scale * (enthalpy - pressure_factor * normal * normal);
            row[2] = -pressure_factor * moved * f.velocity[1];
            row[3] = -pressure_factor * moved * f.velocity[2];
            row[4] = heat_ratio * moved;
        } else {
            const V velocity = f.velocity[m - 1];
            row[0] = -moved * velocity;
            if constexpr (m == 1) {
                row[0] += scale * pressure_factor * f.kinetic;
                row[1] = (2 - pressure_factor) * moved;
                row[2] = -scale * pressure_factor * f.velocity[1];
                row[3] = -scale * pressure_factor * f.velocity[2];
                row[4] = V{} + scale * pressure_factor;
            } else {
                row[1] = scale * velocity;
                row[m] = moved;
            }
        }
        add_viscous<m>(f, -second, row);
        row[m] -= diffusion;
    }

    /// Row m of a point's contribution to its own row, for all columns.
    template <int m>
    [[gnu::always_inline]] void diagonal(const Flow<V>& f, V* row) const {
        unrolled<0, 5>([&](auto n) __attribute__((always_inline)) { row[n] = V{}; });
        add_viscous<m>(f, 2 * second, row);
        row[m] += 1 + 2 * diffusion;
    }

private:
    template <int m>
    [[gnu::always_inline]] void add_viscous(const Flow<V>& f, double scale, V* row) const {
        const V factor = (scale * viscosity) * f.volume;
        if constexpr (m == 4) {
            const V square = f.velocity[0] * f.velocity[0];
            row[0] -= factor * (heat_conduction * f.energy + 2 * (1 - heat_conduction) * f.kinetic +
                                (normal_viscosity - 1) * square);
            row[1] += (normal_viscosity - heat_conduction) * factor * f.velocity[0];
            row[2] += (1 - heat_conduction) * factor * f.velocity[1];
            row[3] += (1 - heat_conduction) * factor * f.velocity[2];
            row[4] += heat_conduction * factor;
        } else if constexpr (m > 0) {
            const V friction = (m == 1 ? normal_viscosity : 1) * factor;
            row[0] -= friction * f.velocity[m - 1];
            row[m] += friction;
        }
    }

    double first, second, diffusion;
};

struct BlockTridiagonal {
    static constexpr bool substitutes_with_u = false;

    template <int bytes>
    [[gnu::always_inline]] static void eliminate(const LineWork& w, const PackedLines<bytes>& lines) {
        using L = Lanes<bytes>;
        using V = L::Vector;
        const BlockRows<V> blocks(w.dt, diffusion[w.line.axis], w.line.points);
        alignas(64) double carried[30 * L::width];
        lines.template take_carried<30>(carried);
        const double* last = carried;  // block and right-hand side of the preceding point
        const double* last_r = carried + 25 * L::width;
        Flow<V> before = flow_at<L>(lines.u(-1));
        Flow<V> here = flow_at<L>(lines.u(0));
        double* kept = w.kept;
        for (Index i = 0; i < lines.points(); ++i) {
            const Flow<V> after = flow_at<L>(lines.u(i + 1));
            eliminate_point<L>(blocks, before, here, after, last, last_r, kept, lines.rhs(i));
            before = here;
            here = after;
            last = kept;
            last_r = lines.rhs(i);
            kept += 25 * L::width;
        }
        lines.template leave_carried<30>(last, 0, 25);
        lines.template leave_carried<30>(last_r, 25, 5);
    }

    template <int bytes>
    [[gnu::always_inline]] static void substitute(const LineWork& w, const PackedLines<bytes>& lines) {
        using L = Lanes<bytes>;
        using V = L::Vector;
        alignas(64) double carried[5 * L::width];
        lines.template take_carried<5>(carried);
        V behind[5];
        unrolled<0, 5>([&](auto m) __attribute__((always_inline)) { behind[m] = L::at(carried + m * L::width); });
        for (Index i = lines.points() - 1; i >= 0; --i) {
            const double* after = w.kept + i * (25 * L::width);
            double* rhs = lines.rhs(i);
            V r[5];
            unrolled<0, 5>([&](auto m) __attribute__((always_inline)) {
                r[m] = L::at(rhs + m * L::width);
                unrolled<0, 5>([&](auto n) __attribute__((always_inline)) {
                    r[m] -= L::at(after + (5 * m + n) * L::width) * behind[n];
                });
                L::at(rhs + m * L::width) = r[m];
            });
            unrolled<0, 5>([&](auto m) __attribute__((always_inline)) { behind[m] = r[m]; });
        }
        unrolled<0, 5>([&](auto m) __attribute__((always_inline)) { L::at(carried + m * L::width) = behind[m]; });
        lines.template leave_carried<5>(carried);
    }

private:
    template <class L>
    [[gnu::always_inline]] static Flow<typename L::Vector> flow_at(const double* u) {
        typename L::Vector values[5];
        unrolled<0, 5>([&](auto m) __attribute__((always_inline)) { values[m] = L::at(u + m * L::width); });
        return Flow<typename L::Vector>(values);
    }

    /// Eliminates a point: row after row of the diagonal block, of the block behind it and of the right-hand side.
    template <class L, class V>
    [[gnu::always_inline]] static void eliminate_point(const BlockRows<V>& blocks, const Flow<V>& before,
                                                       const Flow<V>& here, const Flow<V>& after, const double* last,
                                                       const double* last_r, double* kept, double* rhs) {
        V upper[5][5];
        V right[5][5];
        V r[5];
        unrolled<0, 5>([&](auto m) __attribute__((always_inline)) {
            V row[5];
            blocks.template diagonal<m>(here, row);
            right[m][2] = right[m][3] = right[m][4] = V{};
            blocks.template coupling<m>(after, 1, right[m]);
            r[m] = L::at(rhs + m * L::width);
            V low[5];
            blocks.template coupling<m>(before, -1, low);
            unrolled<0, 5>([&](auto k) __attribute__((always_inline)) {
                if constexpr (couples(m, k)) {
                    unrolled<0, 5>([&](auto n) __attribute__((always_inline)) {
                        row[n] -= low[k] * L::at(last + (5 * k + n) * L::width);
                    });
                    r[m] -= low[k] * L::at(last_r + k * L::width);
                }
            });
            unrolled<0, m>([&](auto p) __attribute__((always_inline)) {
                unrolled<p + 1, 5>([&](auto n) __attribute__((always_inline)) { row[n] -= row[p] * upper[p][n]; });
                unrolled<0, 5>([&](auto n) __attribute__((always_inline)) { right[m][n] -= row[p] * right[p][n]; });
                r[m] -= row[p] * r[p];
            });
            const V pivot = 1.0 / row[m];
            unrolled<m + 1, 5>([&](auto n) __attribute__((always_inline)) { upper[m][n] = pivot * row[n]; });
            unrolled<0, 5>([&](auto n) __attribute__((always_inline)) { right[m][n] *= pivot; });
            r[m] *= pivot;
        });
        unrolled<0, 5>([&](auto up) __attribute__((always_inline)) {
            constexpr int m = 4 - up;
            unrolled<m + 1, 5>([&](auto p) __attribute__((always_inline)) {
                unrolled<0, 5>([&](auto n)
                                   __attribute__((always_inline)) { right[m][n] -= upper[m][p] * right[p][n]; });
                r[m] -= upper[m][p] * r[p];
            });
            unrolled<0, 5>([&](auto n)
                               __attribute__((always_inline)) { L::at(kept + (5 * m + n) * L::width) = right[m][n]; });
            L::at(rhs + m * L::width) = r[m];
        });
    }
};

}  // namespace waywiser::npb
