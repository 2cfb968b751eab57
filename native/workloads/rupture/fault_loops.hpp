/// Loops of fault.hpp: friction on faces of the fault, one face per lane.
#pragma once

#include "workloads/rupture/fault.hpp"
#include "workloads/rupture/loops.hpp"

#include <algorithm>
#include <cmath>

namespace waywiser::rupture {

template <int order, class Real, int bytes>
struct FaultLoops {
    using Cell = Loops<order, Real, bytes>;
    typedef Real Vector [[gnu::vector_size(bytes), gnu::aligned(bytes), gnu::may_alias]];
    static constexpr int step = Cell::step;
    static constexpr int width = Cell::width;
    static constexpr int nodes = Cell::nodes;
    static constexpr int points = friction_points(order);
    static constexpr int side = (2 * order + 1) * 3 * nodes * step;

    [[gnu::always_inline]] static const Vector& at(const Real* p) { return Cell::at(p); }
    [[gnu::always_inline]] static Vector& at(Real* p) { return Cell::at(p); }

    template <int rows, int columns, int inner>
    [[gnu::always_inline]] static void multiply(const Real* matrix, const Real* x, Real* out) {
        const auto store = [&](int row, const Vector* sum) __attribute__((always_inline)) {
            for (int c = 0; c < columns; ++c) at(out + (row * columns + c) * step) = sum[c];
        };
        Cell::template multiply<rows, columns, inner, 3>(matrix, x, store);
    }

    /// Computes the traction that both sides would have if the face were locked, for every derivative. out is order x
    /// nodes x 3.
    [[gnu::always_inline]] static void lock(const FaultWork<Real>& w, int first, Real* out) {
        const FaultLanes<Real>& g = *w.group;
        const Vector n[3] = {at(g.normal[0] + first), at(g.normal[1] + first), at(g.normal[2] + first)};
        const Vector minus_s = at(g.minus_s + first);
        const Vector plus_s = at(g.plus_s + first);
        const Vector minus_more = at(g.minus_p + first) - minus_s;
        const Vector plus_more = at(g.plus_p + first) - plus_s;
        for (int k = 0; k < order * nodes; ++k) {
            const Real* m = w.traces + k * 3 * step + first;
            const Real* p = m + side;
            const Vector along = minus_more * (n[0] * at(m) + n[1] * at(m + step) + n[2] * at(m + 2 * step)) -
                                 plus_more * (n[0] * at(p) + n[1] * at(p + step) + n[2] * at(p + 2 * step));
            for (int c = 0; c < 3; ++c) {
                at(out + (k * 3 + c) * step + first) =
                    minus_s * at(m + c * step) - plus_s * at(p + c * step) + along * n[c];
            }
        }
    }

    /// Computes the mean traction and the velocity's tangential jump from the minus to the plus side, for every
    /// derivative. Both are order x nodes x 3, and follow from the predicted states on the two sides, before friction
    /// acts.
    [[gnu::always_inline]] static void compare_sides(const FaultWork<Real>& w, int first, Real* mean, Real* jump) {
        const FaultLanes<Real>& g = *w.group;
        const Vector n[3] = {at(g.normal[0] + first), at(g.normal[1] + first), at(g.normal[2] + first)};
        const Vector of_minus = at(g.plus_s + first);  // Z_s of the minus side divided by the sum of both
        const Vector of_plus = at(g.minus_s + first);
        const Vector eta = at(g.eta_s + first);
        for (int k = 0; k < order * nodes; ++k) {
            const Real* w_minus = w.traces + k * 3 * step + first;
            const Real* t_minus = w_minus + (order + 1) * 3 * nodes * step;
            const Real* w_plus = w_minus + side;
            const Real* t_plus = t_minus + side;
            Vector v[3];
            for (int c = 0; c < 3; ++c) {
                const int i = c * step;
                at(mean + (k * 3 + c) * step + first) = of_minus * at(t_minus + i) - of_plus * at(t_plus + i);
                v[c] = (of_minus * (at(t_plus + i) - at(w_plus + i)) - of_plus * (at(t_minus + i) - at(w_minus + i))) /
                       eta;
            }
            const Vector along = n[0] * v[0] + n[1] * v[1] + n[2] * v[2];
            for (int c = 0; c < 3; ++c) at(jump + (k * 3 + c) * step + first) = v[c] - along * n[c];
        }
    }

    /// Adds the work of the mean traction on the velocity's jump, both nodes x 3, with the weight of a quadrature point
    /// in time.
    [[gnu::always_inline]] static void add_predicted_work(const FaultWork<Real>& w, int first, double weight_s,
                                                          const Real* mean, const Real* jump, Real* product) {
        multiply<nodes, 3, nodes>(w.face_mass, mean + first, product + first);
        Vector sum{};
        for (int k = 0; k < 3 * nodes; ++k) sum += at(product + k * step + first) * at(jump + k * step + first);
        for (int lane = first; lane < first + width; ++lane) {
            const Real power = w.group->doubled_area[lane] * sum[lane - first];
            w.predicted_work[lane] -= weight_s * static_cast<double>(power);
        }
    }

    [[gnu::always_inline]] static void evaluate(const Real* derivatives, int first, double at_s, Real* out) {
        for (int k = 0; k < 3 * nodes; ++k) {
            Vector sum{};
            double factor = 1;
            for (int i = 0; i < order; ++i) {
                sum += static_cast<Real>(factor) * at(derivatives + (i * 3 * nodes + k) * step + first);
                factor *= at_s / (i + 1);
            }
            at(out + k * step + first) = sum;
        }
    }

    /// Computes friction at one point at one time, in plain loops over lanes.
    /// \param t     3: locked traction, which is replaced by its reduction by slip
    /// \param rate  the slip rate
    [[gnu::always_inline]] static void slide(const FaultWork<Real>& w, int first, int p, double at_s, double weight_s,
                                             Real* t, Real* rate) {
        const FaultLanes<Real>& g = *w.group;
        const Friction<Real> friction(w.law);
        const auto dt = static_cast<Real>(weight_s);
        const auto time = static_cast<Real>(w.time + at_s);
        const auto area = weight_s * w.reference->points[static_cast<std::size_t>(p)].weight;
        const Real* initial = w.initial + p * 3 * step;
        Real* slip = w.slip + p * 3 * step;
        for (int lane = first; lane < first + width; ++lane) {
            const Real n[3] = {g.normal[0][lane], g.normal[1][lane], g.normal[2][lane]};
            Real total[3];
            for (int c = 0; c < 3; ++c) total[c] = t[c * step + lane] + initial[c * step + lane];
            const Real eta = g.eta_s[lane];
            const Sliding<Real> now = friction.slide(n, eta, w.path[p * step + lane], total);
            Real power = 0;
            for (int c = 0; c < 3; ++c) {
                power += now.rate[c] * (t[c * step + lane] - eta * now.rate[c]);
                slip[c * step + lane] += dt * now.rate[c];
                t[c * step + lane] = eta * now.rate[c];
            }
            w.work[lane] -= area * static_cast<double>(g.doubled_area[lane] * power);
            rate[lane] = now.speed;
            Real& peak = w.peak_rate[p * step + lane];
            peak = std::max(peak, now.speed);
            Real& ruptured = w.rupture_time[p * step + lane];
            ruptured = ruptured < 0 && now.speed > static_cast<Real>(rupture_rate_mps) ? time : ruptured;
        }
    }

    /// Stores the jumps at the places where the cells of both sides read them; n is the outward normal of one side and
    /// the inward normal of the other.
    [[gnu::always_inline]] static void impose(const FaultWork<Real>& w, int first, const Real* imposed) {
        for (int s = 0; s < 2; ++s) {
            const Real* traction = w.traces + s * side + order * 3 * nodes * step;
            const Real sign = s == 0 ? Real{1} : Real{-1};
            for (int lane = first; lane < first + width; ++lane) {
                if (w.group->target[s][lane] < 0) continue;
                Real* to = w.published + w.group->target[s][lane];
                for (int k = 0; k < 3 * nodes; ++k) {
                    to[k] = sign * imposed[k * step + lane] - traction[k * step + lane];
                }
            }
        }
    }

    [[gnu::always_inline]] static void advance(const FaultWork<Real>& w, int first) {
        Real* locked = w.scratch;
        Real* now = locked + order * 3 * nodes * step;
        Real* imposed = now + 3 * nodes * step;
        Real* nodal = imposed + 3 * nodes * step;
        Real* t = nodal + 3 * nodes * step;
        Real* taken = t + 3 * points * step;
        Real* rate = taken + 3 * points * step;
        Real* smooth = rate + points * step;
        Real* mean = smooth + points * step;
        Real* jump = mean + order * 3 * nodes * step;
        Real* mean_now = jump + order * 3 * nodes * step;
        Real* jump_now = mean_now + 3 * nodes * step;
        Real* product = jump_now + 3 * nodes * step;
        lock(w, first, locked);
        compare_sides(w, first, mean, jump);
        for (int k = 0; k < 3 * nodes; ++k) at(imposed + k * step + first) = Vector{};
        for (int k = 0; k < 3 * points; ++k) at(taken + k * step + first) = Vector{};
        double before_s = 0;
        for (int j = 0; j < order; ++j) {
            const QuadraturePoint& time = w.times[j];
            const double at_s = w.dt * time.at[0];
            const auto weight = static_cast<Real>(w.dt * time.weight);
            evaluate(locked, first, at_s, now);
            for (int k = 0; k < 3 * nodes; ++k) at(imposed + k * step + first) += weight * at(now + k * step + first);
            evaluate(mean, first, at_s, mean_now);
            evaluate(jump, first, at_s, jump_now);
            add_predicted_work(w, first, w.dt * time.weight, mean_now, jump_now, product);
            multiply<points, 3, nodes>(w.to_points, now + first, t + first);
            for (int p = 0; p < points; ++p) {
                slide(w, first, p, at_s, w.dt * time.weight, t + p * 3 * step, rate + p * step);
            }
            for (int k = 0; k < 3 * points; ++k) at(taken + k * step + first) += weight * at(t + k * step + first);
            // The slip rate is projected onto the scheme's polynomials; otherwise, the slip path becomes noisy.
            multiply<nodes, 1, points>(w.from_points, rate + first, nodal + first);
            multiply<points, 1, nodes>(w.to_points, nodal + first, smooth + first);
            const double until_s = j + 1 < order ? at_s : w.dt;
            const auto since = static_cast<Real>(until_s - before_s);
            before_s = at_s;
            for (int p = 0; p < points; ++p) {
                for (int lane = first; lane < first + width; ++lane) {
                    w.path[p * step + lane] += since * std::max(smooth[p * step + lane], Real{0});
                }
            }
        }
        multiply<nodes, 3, points>(w.from_points, taken + first, nodal + first);
        for (int k = 0; k < 3 * nodes; ++k) at(imposed + k * step + first) -= at(nodal + k * step + first);
        impose(w, first, imposed);
    }

    [[gnu::always_inline]] static void run(const FaultWork<Real>& w) {
        for (int first = 0; first < step; first += width) advance(w, first);
    }
};

}  // namespace waywiser::rupture
