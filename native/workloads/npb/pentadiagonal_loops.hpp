/// The scalar pentadiagonal systems of SP, with one line in each lane.
#pragma once

#include "workloads/npb/packed_lines.hpp"

#include <numbers>

namespace waywiser::npb {

/// Waves as in sp.cpp, with the momentum along the line as unknown 1. Waves 0 ... 2 travel with the flow, 3 and 4 with
/// sound.
template <class L>
struct Waves {
    using V = L::Vector;

    [[gnu::always_inline]] explicit Waves(const double* u)
        : flow(values(u)), square(heat_ratio * flow.work), sound(square) {
        L::take_root(sound);
    }

    /// Replaces unknowns r by amplitudes of waves.
    [[gnu::always_inline]] void from_unknowns(V* r) const {
        V moved[3];
        V along_flow{};
        unrolled<0, 3>([&](auto b) __attribute__((always_inline)) {
            moved[b] = (r[1 + b] - flow.velocity[b] * r[0]) * flow.volume;
            along_flow += flow.velocity[b] * r[1 + b];
        });
        const V compressed = pressure_factor * (flow.kinetic * r[0] - along_flow + r[4]) / square;
        const V sum = sound * compressed * flow.volume;
        r[0] -= compressed;
        r[1] = moved[2];
        r[2] = -moved[1];
        r[3] = (sum + moved[0]) * (1 / std::numbers::sqrt2);
        r[4] = (sum - moved[0]) * (1 / std::numbers::sqrt2);
    }

    /// Sets r to the unknowns that have these amplitudes of waves.
    [[gnu::always_inline]] void to_unknowns(const V& density, const V* waves, V* r) const {
        const V half = density * (1 / std::numbers::sqrt2);
        const V sum = half * (waves[3] + waves[4]) / sound;
        const V moved[3] = {half * (waves[3] - waves[4]), -density * waves[2], density * waves[1]};
        r[0] = waves[0] + sum;
        r[4] = flow.kinetic * r[0] + square * sum * (1 / pressure_factor);
        unrolled<0, 3>([&](auto b) __attribute__((always_inline)) {
            r[1 + b] = flow.velocity[b] * r[0] + moved[b];
            r[4] += flow.velocity[b] * moved[b];
        });
    }

    Flow<V> flow;
    V square;  ///< square of the speed of sound
    V sound;

private:
    [[gnu::always_inline]] static Flow<V> values(const double* u) {
        V all[5];
        unrolled<0, 5>([&](auto m) __attribute__((always_inline)) { all[m] = L::at(u + m * L::width); });
        return Flow<V>(all);
    }
};

/// Number of a wave's system. The waves that travel with the flow share system 0.
[[nodiscard]] constexpr int system_of(int wave) { return wave < 3 ? 0 : wave - 2; }

struct Pentadiagonal {
    static constexpr bool substitutes_with_u = true;

    template <int bytes>
    [[gnu::always_inline]] static void eliminate(const LineWork& w, const PackedLines<bytes>& lines) {
        using L = Lanes<bytes>;
        using V = L::Vector;
        const Differences differences(w.line.points);
        const Factors factors{w.dt * differences.first, w.dt * differences.second, diffusion[w.line.axis]};
        alignas(64) double carried[22 * L::width];
        lines.template take_carried<22>(carried);
        Eliminated<V> far;
        Eliminated<V> near;
        far.template load<L>(carried);
        near.template load<L>(carried + 11 * L::width);
        Waves<L> before(lines.u(-1));
        Waves<L> here(lines.u(0));
        for (Index i = 0; i < lines.points(); ++i) {
            const Waves<L> after(lines.u(i + 1));
            double* rhs = lines.rhs(i);
            Eliminated<V> next;
            unrolled<0, 5>([&](auto m) __attribute__((always_inline)) { next.r[m] = L::at(rhs + m * L::width); });
            here.from_unknowns(next.r);
            Vector5 fourth = fourth_difference(w.line.first + w.line.lo + i, w.line.points);
            for (double& coefficient : fourth) coefficient *= w.dt * dissipation;
            eliminate_point<L>(factors, fourth, before, here, after, far, near, next);
            double* kept = w.kept + i * (6 * L::width);
            unrolled<0, 3>([&](auto s) __attribute__((always_inline)) {
                L::at(kept + s * L::width) = next.e[s];
                L::at(kept + (3 + s) * L::width) = next.f[s];
            });
            unrolled<0, 5>([&](auto m) __attribute__((always_inline)) { L::at(rhs + m * L::width) = next.r[m]; });
            far = near;
            near = next;
            before = here;
            here = after;
        }
        far.template store<L>(carried);
        near.template store<L>(carried + 11 * L::width);
        lines.template leave_carried<22>(carried);
    }

    template <int bytes>
    [[gnu::always_inline]] static void substitute(const LineWork& w, const PackedLines<bytes>& lines) {
        using L = Lanes<bytes>;
        using V = L::Vector;
        alignas(64) double carried[10 * L::width];
        lines.template take_carried<10>(carried);
        V near[5];
        V far[5];
        unrolled<0, 5>([&](auto m) __attribute__((always_inline)) {
            near[m] = L::at(carried + m * L::width);
            far[m] = L::at(carried + (5 + m) * L::width);
        });
        for (Index i = lines.points() - 1; i >= 0; --i) {
            const double* kept = w.kept + i * (6 * L::width);
            double* rhs = lines.rhs(i);
            V waves[5];
            unrolled<0, 5>([&](auto m) __attribute__((always_inline)) {
                constexpr int s = system_of(m);
                waves[m] = L::at(rhs + m * L::width) - L::at(kept + s * L::width) * near[m] -
                           L::at(kept + (3 + s) * L::width) * far[m];
                far[m] = near[m];
                near[m] = waves[m];
            });
            V r[5];
            Waves<L>(lines.u(i)).to_unknowns(L::at(lines.u(i)), waves, r);
            unrolled<0, 5>([&](auto m) __attribute__((always_inline)) { L::at(rhs + m * L::width) = r[m]; });
        }
        unrolled<0, 5>([&](auto m) __attribute__((always_inline)) {
            L::at(carried + m * L::width) = near[m];
            L::at(carried + (5 + m) * L::width) = far[m];
        });
        lines.template leave_carried<10>(carried);
    }

private:
    struct Factors {
        double first, second, diffusion;
    };

    /// A row after elimination: x(i) + e x(i+1) + f x(i+2) = r.
    template <class V>
    struct Eliminated {
        V e[3];
        V f[3];
        V r[5];

        template <class L>
        [[gnu::always_inline]] void load(const double* from) {
            unrolled<0, 3>([&](auto s) __attribute__((always_inline)) {
                e[s] = L::at(from + s * L::width);
                f[s] = L::at(from + (3 + s) * L::width);
            });
            unrolled<0, 5>([&](auto m) __attribute__((always_inline)) { r[m] = L::at(from + (6 + m) * L::width); });
        }
        template <class L>
        [[gnu::always_inline]] void store(double* to) const {
            unrolled<0, 3>([&](auto s) __attribute__((always_inline)) {
                L::at(to + s * L::width) = e[s];
                L::at(to + (3 + s) * L::width) = f[s];
            });
            unrolled<0, 5>([&](auto m) __attribute__((always_inline)) { L::at(to + (6 + m) * L::width) = r[m]; });
        }
    };

    template <class L, class V>
    [[gnu::always_inline]] static void eliminate_point(const Factors& factors, const Vector5& fourth,
                                                       const Waves<L>& before, const Waves<L>& here,
                                                       const Waves<L>& after, const Eliminated<V>& far,
                                                       const Eliminated<V>& near, Eliminated<V>& next) {
        constexpr double heat = heat_conduction * viscosity;
        const double second = factors.second;
        const V diffused_before = fourth[1] - second * (factors.diffusion + heat * before.flow.volume);
        const V diffused = 1 + fourth[2] + 2 * second * (factors.diffusion + heat * here.flow.volume);
        const V diffused_after = fourth[3] - second * (factors.diffusion + heat * after.flow.volume);
        V low[3];
        V pivot[3];
        unrolled<0, 3>([&](auto s) __attribute__((always_inline)) {
            constexpr double sign = s == 0 ? 0 : s == 1 ? 1 : -1;
            V speed_before = before.flow.velocity[0];
            V speed_after = after.flow.velocity[0];
            if constexpr (s > 0) {
                speed_before += sign * before.sound;
                speed_after += sign * after.sound;
            }
            low[s] = diffused_before - factors.first * speed_before - fourth[0] * far.e[s];
            pivot[s] = 1.0 / (diffused - fourth[0] * far.f[s] - low[s] * near.e[s]);
            next.e[s] = pivot[s] * (diffused_after + factors.first * speed_after - low[s] * near.f[s]);
            next.f[s] = pivot[s] * fourth[4];
        });
        unrolled<0, 5>([&](auto m) __attribute__((always_inline)) {
            constexpr int s = system_of(m);
            next.r[m] = pivot[s] * (next.r[m] - fourth[0] * far.r[m] - low[s] * near.r[m]);
        });
    }
};

}  // namespace waywiser::npb
