/// The sweeps of LU over a plane of axis 3, along its diagonals i + j = const, whose points do not depend on each
/// other.
///
/// Each point passes its contributions on to the rows of the following points, so that no block is formed. The sum of a
/// point's own blocks is triangular, and coupling blocks are only multiplied by vectors.
#pragma once

#include "workloads/npb/kernels.hpp"
#include "workloads/npb/lanes.hpp"

namespace waywiser::npb {

/// Contribution of one point, or of several points in lanes, to the rows of SSOR.
template <class Real>
class RelaxedPoint {
public:
    [[gnu::always_inline]] RelaxedPoint(const Real* u, double dt, Index points, bool forwards)
        : flow_(u),
          first_((forwards ? dt : -dt) * Differences(points).first),
          second_(dt * Differences(points).second) {}

    /// Replaces r by the solution of D x = r.
    [[gnu::always_inline]] void solve_diagonal(Real* r) const {
        constexpr double moments = normal_viscosity + 2;
        const double fixed = 1 + 2 * second_ * (diffusion[0] + diffusion[1] + diffusion[2]);
        const Real factor = (2 * second_ * viscosity) * flow_.volume;
        const Real friction = moments * factor;
        const Real scale = 1.0 / (fixed + friction);
        r[0] *= 1 / fixed;
        Real work = 3 * heat_conduction * flow_.energy * r[0];
        unrolled<0, 3>([&](auto b) __attribute__((always_inline)) {
            r[1 + b] = (r[1 + b] + friction * flow_.velocity[b] * r[0]) * scale;
            work -= (moments - 3 * heat_conduction) * flow_.velocity[b] * (r[1 + b] - flow_.velocity[b] * r[0]);
        });
        r[4] = (r[4] + factor * work) / (fixed + 3 * heat_conduction * factor);
    }

    /// Contribution of the point with solution x to the row of the next point on an axis.
    template <int axis>
    [[gnu::always_inline]] void contribute(const Real* x, Real* out) const {
        const Real normal = flow_.velocity[axis];
        const Real factor = (second_ * viscosity) * flow_.volume;
        const double diffused = second_ * diffusion[axis];
        Real moved[3];
        Real along_flow = flow_.velocity[0] * x[1] + flow_.velocity[1] * x[2] + flow_.velocity[2] * x[3];
        const Real pressure = pressure_factor * (flow_.kinetic * x[0] - along_flow + x[4]);
        along_flow -= 2 * flow_.kinetic * x[0];
        unrolled<0, 3>([&](auto b) __attribute__((always_inline)) { moved[b] = x[1 + b] - flow_.velocity[b] * x[0]; });
        out[0] = first_ * x[1 + axis] + diffused * x[0];
        unrolled<0, 3>([&](auto b) __attribute__((always_inline)) {
            Real flux = normal * x[1 + b] + flow_.velocity[b] * moved[axis];
            if constexpr (b == axis) flux += pressure;
            out[1 + b] = first_ * flux + (b == axis ? normal_viscosity : 1) * factor * moved[b] + diffused * x[1 + b];
        });
        const Real heat = heat_conduction * (x[4] - flow_.energy * x[0]) + (1 - heat_conduction) * along_flow +
                          (normal_viscosity - 1) * normal * moved[axis];
        out[4] = first_ * (normal * (pressure + x[4]) + (flow_.energy + flow_.work) * moved[axis]) + factor * heat +
                 diffused * x[4];
    }

private:
    Flow<Real> flow_;
    double first_, second_;
};

struct RelaxPlane {
    /// Number of values before the first and behind the last line of axis 2 that registers may write.
    static constexpr Index margin = 8;
    static constexpr Index pitch(Index lines) { return lines + 2 * margin; }

    template <int bytes>
    [[gnu::always_inline]] static void run(const PlaneWork& w) {
        OfWidth<bytes>(w).run();
    }

private:
    template <int bytes>
    struct OfWidth {
        using L = Lanes<bytes>;
        using V = L::Vector;

        [[gnu::always_inline]] explicit OfWidth(const PlaneWork& work)
            : w(work), pitch(RelaxPlane::pitch(work.extent[1])) {
            from_first = w.scratch + margin;
            from_second = from_first + 5 * pitch;
        }

        [[gnu::always_inline]] void run() {
            for (Index m = 0; m < 5; ++m) {
                for (Index j = 0; j < w.extent[1]; ++j) {
                    from_first[m * pitch + j] = w.before[0] == nullptr ? 0 : w.before[0][m * w.extent[1] + j];
                }
            }
            for (Index d = 0; d < w.extent[0] + w.extent[1] - 1; ++d) diagonal(d);
        }

        /// Processes the last points first, because the value that a point passes on along axis 2 replaces the value
        /// that its successor has used.
        [[gnu::always_inline]] void diagonal(Index d) {
            const Index lo = std::max(Index{0}, d - w.extent[0] + 1);
            const Index hi = std::min(w.extent[1] - 1, d);
            for (Index m = 0; m < 5 && d < w.extent[0]; ++m) {
                from_second[m * pitch] = w.before[1] == nullptr ? 0 : w.before[1][m * w.extent[0] + d];
            }
            double* below = w.below + margin + d * 5 * pitch;
            for (Index end = hi + 1; end > lo; end -= L::width) points(d, end - L::width, lo, below + end - L::width);
        }

        /// Processes points j ... of a diagonal, one per lane. Lanes before `lo` repeat point `lo`, and do not change
        /// rhs.
        [[gnu::always_inline]] void points(Index d, Index j, Index lo, double* below) {
            Index offset[L::width];
            unrolled<0, L::width>([&](auto lane) __attribute__((always_inline)) {
                const Index at = std::max(j + lane, lo);
                offset[lane] = (d - at) * w.step[0] + at * w.step[1];
            });
            V u[5];
            V x[5];
            V right_side[5];
            double* first = from_first + j;
            double* second = from_second + j;
            unrolled<0, 5>([&](auto m) __attribute__((always_inline)) {
                L::gather(w.u + m * w.between, offset, u[m]);
                L::gather(w.rhs + m * w.between, offset, right_side[m]);
                x[m] = L::at(first + m * pitch) + L::at(second + m * pitch) + L::at(below + m * pitch);
                if (w.forwards) x[m] = right_side[m] + over_relaxation * x[m];
            });
            const RelaxedPoint<V> point(u, w.dt, w.points, w.forwards);
            point.solve_diagonal(x);
            const Index skipped = std::max(Index{0}, lo - j);
            unrolled<0, 5>([&](auto m) __attribute__((always_inline)) {
                if (!w.forwards) x[m] = right_side[m] + over_relaxation * x[m];
                if (skipped == 0) {
                    unrolled<0, L::width>([&](auto lane) __attribute__((always_inline)) {
                        w.rhs[offset[lane] + m * w.between] = x[m][lane()];
                    });
                } else {
                    double all[L::width];
                    L::at(all) = x[m];
                    for (Index lane = skipped; lane < L::width; ++lane) {
                        w.rhs[offset[lane] + m * w.between] = all[lane];
                    }
                }
            });
            hand_on<0>(point, x, first);
            hand_on<1>(point, x, second + 1);
            hand_on<2>(point, x, below);
        }

        template <int axis>
        [[gnu::always_inline]] void hand_on(const RelaxedPoint<V>& point, const V* x, double* to) const {
            V out[5];
            point.template contribute<axis>(x, out);
            unrolled<0, 5>([&](auto m) __attribute__((always_inline)) { L::at(to + m * pitch) = out[m]; });
        }

        const PlaneWork& w;
        Index pitch;
        double* from_first;   ///< contributions along axis 1 to each row
        double* from_second;  ///< contributions along axis 2 to the row in this lane
    };
};

}  // namespace waywiser::npb
