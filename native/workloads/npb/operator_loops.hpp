/// Evaluation of the operator of operator.hpp, at several points of a row of axis 1 at a time.
#pragma once

#include "workloads/npb/kernels.hpp"
#include "workloads/npb/lanes.hpp"

namespace waywiser::npb {

struct OperatorLoops {
    template <int bytes>
    [[gnu::always_inline]] static void run(const OperatorWork& work) {
        OfWidth<bytes>(work).run();
    }

    /// Number of quantities from which fluxes are computed; each is an array of a row.
    static constexpr int parts = 6;
    /// Number of rows from which a row is computed: the row and its neighbours on axes 2 and 3.
    static constexpr int rows = 5;
    /// Size of a row's memory, including values past its end that registers may write.
    static constexpr Index room(Index row) { return row + 2 * Field::halo + 8; }

private:
    template <int bytes>
    struct OfWidth {
        using L = Lanes<bytes>;
        using V = L::Vector;
        using Numbers = typename L::InMemory;

        /// The `Flow` of a row as a structure of arrays.
        struct Row {
            double* part[parts];
            [[gnu::always_inline]] const Numbers& velocity(int axis, Index i) const { return L::at(part[axis] + i); }
            [[gnu::always_inline]] const Numbers& kinetic(Index i) const { return L::at(part[3] + i); }
            [[gnu::always_inline]] const Numbers& energy(Index i) const { return L::at(part[4] + i); }
            [[gnu::always_inline]] const Numbers& pressure(Index i) const { return L::at(part[5] + i); }
        };

        [[gnu::always_inline]] explicit OfWidth(const OperatorWork& work)
            : w(work), between(work.u->between()), differences(work.points[0]) {
            const Index room = OperatorLoops::room(w.u->between() - 2 * Field::halo);
            double* next = w.scratch;
            for (Row& row : kept) {
                for (double*& part : row.part) {
                    part = next + Field::halo;
                    next += room;
                }
            }
            for (Index i = w.region.lo[0]; i < w.region.hi[0]; ++i) {
                const Vector5 fourth = fourth_difference(w.first[0] + i, w.points[0]);
                for (Index n = 0; n < 5; ++n) next[n * room + i] = fourth[static_cast<std::size_t>(n)];
            }
            for (Index n = 0; n < 5; ++n) fourth_in_row[n] = next + n * room;
        }

        /// Runs in strips of axis 2 so narrow that the five planes around a point stay in the L2 cache.
        [[gnu::always_inline]] void run() {
            constexpr Index values_in_cache = 48 * 1024;
            const Index rows_in_cache = values_in_cache / (5 * w.u->stride(1));
            const Index strip = std::max(Index{8}, rows_in_cache - 2 * Field::halo);
            for (Index first = w.region.lo[1]; first < w.region.hi[1]; first += strip) {
                const Index end = std::min(first + strip, w.region.hi[1]);
                for (Index k = w.region.lo[2]; k < w.region.hi[2]; ++k) run(first, end, k);
            }
        }

        /// Evaluates rows j ... end - 1 of plane k.
        [[gnu::always_inline]] void run(Index j, Index end, Index k) {
            Row* before = &kept[0];
            Row* here = &kept[1];
            Row* after = &kept[2];
            fill(j - 1, k, *before);
            fill(j, k, *here);
            for (; j < end; ++j) {
                fill(j + 1, k, *after);
                fill(j, k - 1, kept[3]);
                fill(j, k + 1, kept[4]);
                evaluate(j, k, *before, *here, *after);
                std::swap(before, here);
                std::swap(here, after);
            }
        }

        [[gnu::always_inline]] void fill(Index j, Index k, const Row& row) const {
            const double* u = w.u->at({0, j, k});
            for (Index i = w.region.lo[0] - 1; i <= w.region.hi[0]; i += L::width) {
                V values[5];
                unrolled<0, 5>([&](auto m) __attribute__((always_inline)) { values[m] = L::at(u + m * between + i); });
                const Flow<V> flow(values);
                unrolled<0, 3>([&](auto b)
                                   __attribute__((always_inline)) { L::at(row.part[b] + i) = flow.velocity[b]; });
                L::at(row.part[3] + i) = flow.kinetic;
                L::at(row.part[4] + i) = flow.energy;
                L::at(row.part[5] + i) = flow.pressure;
            }
        }

        [[gnu::always_inline]] void evaluate(Index j, Index k, const Row& before, const Row& here, const Row& after) {
            const Vector5 on_2 = fourth_difference(w.first[1] + j, w.points[1]);
            const Vector5 on_3 = fourth_difference(w.first[2] + k, w.points[2]);
            const double* u = w.u->at({0, j, k});
            const double* forcing = w.forcing->at({0, j, k});
            double* rhs = w.rhs->at({0, j, k});
            const double* const ahead[3] = {w.u->at({0, j + 1, k + 2}), w.forcing->at({0, j + 1, k}),
                                            w.rhs->at({0, j + 1, k})};
            for (Index i = w.region.lo[0]; i < w.region.hi[0]; i += L::width) {
                V r[5];
                V fourth[5];
                unrolled<0, 5>([&](auto m) __attribute__((always_inline)) {
                    r[m] = L::at(forcing + m * between + i);
                    fourth[m] = L::at(fourth_in_row[m] + i);
                    for (const double* p : ahead) __builtin_prefetch(p + m * between + i);
                });
                add_along<0>(u + i, here, i - 1, here, i, here, i + 1, fourth, r);
                unrolled<0, 5>([&](auto m) __attribute__((always_inline)) { fourth[m] = V{} + on_2[m]; });
                add_along<1>(u + i, before, i, here, i, after, i, fourth, r);
                unrolled<0, 5>([&](auto m) __attribute__((always_inline)) { fourth[m] = V{} + on_3[m]; });
                add_along<2>(u + i, kept[3], i, here, i, kept[4], i, fourth, r);
                unrolled<0, 5>([&](auto m) __attribute__((always_inline)) {
                    L::store(rhs + m * between + i, r[m] * w.factor, w.region.hi[0] - i);
                });
            }
        }

        /// \param u  unknowns of the first lane's point, which is element i of `here`; its neighbours are ib of
        ///           `before` and ia of `after`
        template <int axis>
        [[gnu::always_inline]] void add_along(const double* u, const Row& before, Index ib, const Row& here, Index i,
                                              const Row& after, Index ia, const V* fourth, V* r) const {
            const Index s = w.u->stride(axis);
            const double diffused = diffusion[axis] * differences.second;
            const double first = differences.first;
            const V normal_before = before.velocity(axis, ib);
            const V normal = here.velocity(axis, i);
            const V normal_after = after.velocity(axis, ia);
            const V pressure_before = before.pressure(ib);
            const V pressure_after = after.pressure(ia);
            unrolled<0, 5>([&](auto m) __attribute__((always_inline)) {
                const double* p = u + m * between;
                const V low = L::at(p - s);
                const V mid = L::at(p);
                const V high = L::at(p + s);
                V flux_before = low * normal_before;
                V flux_after = high * normal_after;
                if constexpr (m == 1 + axis) {
                    flux_before += pressure_before;
                    flux_after += pressure_after;
                }
                if constexpr (m == 4) {
                    flux_before += pressure_before * normal_before;
                    flux_after += pressure_after * normal_after;
                }
                const V dissipated = fourth[0] * L::at(p - 2 * s) + fourth[1] * low + fourth[2] * mid +
                                     fourth[3] * high + fourth[4] * L::at(p + 2 * s);
                r[m] +=
                    diffused * (low - 2 * mid + high) - first * (flux_after - flux_before) - dissipation * dissipated;
            });
            const double factor = viscosity * differences.second;
            unrolled<0, 3>([&](auto b) __attribute__((always_inline)) {
                const double momentum = factor * (b == axis ? normal_viscosity : 1);
                r[1 + b] += momentum * (before.velocity(b, ib) - 2 * here.velocity(b, i) + after.velocity(b, ia));
            });
            const V kinetic = before.kinetic(ib) - 2 * here.kinetic(i) + after.kinetic(ia);
            const V square = normal_before * normal_before - 2 * normal * normal + normal_after * normal_after;
            const V energy = before.energy(ib) - 2 * here.energy(i) + after.energy(ia);
            r[4] += factor * ((1 - heat_conduction) * kinetic + square * (1. / 6) + heat_conduction * energy);
        }

        const OperatorWork& w;
        Index between;
        Differences differences;
        Row kept[rows];
        const double* fourth_in_row[5];
    };
};

}  // namespace waywiser::npb
