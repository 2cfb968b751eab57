// This file is compiled without fused multiply-adds, so that results are the same on any processor.
#include "workloads/shallow/kernels.hpp"

#include "workloads/common/ahead.hpp"

namespace waywiser::shallow {
namespace {

/// Prefetch distances.
constexpr Index vertices_ahead = 6;
constexpr Index cells_ahead = 3;

void ask_for_row(const double* row, Index levels) {
    for (Index k = 0; k < levels; k += 8) ask_for(row + k);
}

template <int bytes>
struct BlockLoops {
    static constexpr Index width = bytes / static_cast<Index>(sizeof(double));
    typedef double Vector [[gnu::vector_size(bytes), gnu::may_alias]];

    [[gnu::always_inline]] static const Vector& at(const double* p) { return *reinterpret_cast<const Vector*>(p); }
    [[gnu::always_inline]] static Vector& at(double* p) { return *reinterpret_cast<Vector*>(p); }

    [[gnu::always_inline]] static double* scratch(const Stage& work, Number row) {
        return work.scratch + row * work.stride;
    }

    /// Prefetches rows of a vertex, which are scattered and too short for the hardware prefetcher.
    [[gnu::always_inline]] static void ask_for_vertex(const Stage& work, const VorticityRow& row) {
        for (std::size_t i = 0; i < 3; ++i) {
            ask_for_row(work.at.h + row.cells[i] * work.stride, work.levels);
            ask_for_row(work.at.u + row.edges[i] * work.stride, work.levels);
        }
    }

    /// The row is a copy, so that stores to `out` cannot alias it, and its values stay in registers.
    [[gnu::always_inline]] static void vorticity(const Stage& work, VorticityRow row, double* out) {
        std::array<const double*, 3> h, u;
        for (std::size_t i = 0; i < 3; ++i) {
            h[i] = work.at.h + row.cells[i] * work.stride;
            u[i] = work.at.u + row.edges[i] * work.stride;
        }
        for (Index k = 0; k < work.levels; k += width) {
            const Vector curl = row.curls[0] * at(u[0] + k) + row.curls[1] * at(u[1] + k) + row.curls[2] * at(u[2] + k);
            const Vector mean = row.kites[0] * at(h[0] + k) + row.kites[1] * at(h[1] + k) + row.kites[2] * at(h[2] + k);
            at(out + k) = (row.coriolis + curl) / mean;
        }
    }

    /// One vector for each side of a cell: std::array would hide the registers' size from the compiler.
    template <std::size_t sides>
    struct Around {
        Vector of[sides];

        [[gnu::always_inline]] Vector& operator[](std::size_t i) { return of[i]; }
        [[gnu::always_inline]] const Vector& operator[](std::size_t i) const { return of[i]; }
    };

    template <std::size_t sides>
    [[gnu::always_inline]] static void add(const Around<sides>& all, Vector& sum) {
        sum = all[0];
        for (std::size_t i = 1; i < sides; ++i) sum += all[i];
    }

    /// A cell's contributions to the tangential fluxes at its edges; `halves` is f / 2 of CellRow.
    template <std::size_t sides>
    [[gnu::always_inline]] static Around<sides> tangential(const CellRow& row, const Around<sides>& halves,
                                                           const Vector& outflow) {
        Around<sides> q;
        q[0] = row.firsts[1] * halves[1];
        for (std::size_t i = 2; i < sides; ++i) q[0] += row.firsts[i] * halves[i];
        for (std::size_t i = 1; i < sides; ++i) {
            q[i] = q[i - 1] + (row.kites[i - 1] * outflow - (halves[i - 1] + halves[i]));
        }
        return q;
    }

    template <std::size_t sides, bool keeps_energy>
    [[gnu::always_inline]] static void cell(const Stage& work, const CellRow& row) {
        const double* h = work.at.h + row.cell * work.stride;
        std::array<const double*, sides> beyond, u, corner;
        std::array<double*, sides> gift;
        for (std::size_t i = 0; i < sides; ++i) {
            beyond[i] = work.at.h + row.neighbours[i] * work.stride;
            u[i] = work.at.u + row.edges[i] * work.stride;
            corner[i] = scratch(work, row.corners[i]);
            gift[i] = scratch(work, row.gifts[i]);
        }
        double* rate = scratch(work, rate_row);
        for (Index k = 0; k < work.levels; k += width) {
            const Vector own = at(h + k);
            Vector energy = work.gravity * own + row.bottom;
            Around<sides> half, q;
            for (std::size_t i = 0; i < sides; ++i) {
                const Vector speed = at(u[i] + k);
                half[i] = row.halves[i] * ((own + at(beyond[i] + k)) * speed);
                energy += row.energies[i] * (speed * speed);
                q[i] = at(corner[(i + sides - 1) % sides] + k) + at(corner[i] + k);
            }
            Vector outflow;
            add(half, outflow);
            at(rate + k) = row.divergence * outflow;
            const Around<sides> flux = tangential(row, half, outflow);
            if constexpr (keeps_energy) {
                for (std::size_t i = 0; i < sides; ++i) half[i] *= q[i];
                add(half, outflow);
                const Around<sides> weighted = tangential(row, half, outflow);
                for (std::size_t i = 0; i < sides; ++i) at(gift[i] + k) = energy + (weighted[i] + q[i] * flux[i]);
            } else {
                for (std::size_t i = 0; i < sides; ++i) at(gift[i] + k) = energy + 2 * (q[i] * flux[i]);
            }
        }
    }

    /// Advances a row of one field.
    template <class RateOf>
    [[gnu::always_inline]] static void advance_row(const Stage& work, auto Fields<const double>::* from,
                                                   auto Fields<double>::* to, Index row, RateOf rate) {
        const Index offset = row * work.stride;
        const double* start = work.start.*from + offset;
        double* next = work.next.*to + offset;
        if (!work.ends_step) {
            for (Index k = 0; k < work.levels; k += width) {
                Vector now;
                rate(k, now);
                at(next + k) = at(start + k) + work.reach * now;
            }
            return;
        }
        const double* first = work.first.*from + offset;
        const double* second = work.second.*from + offset;
        const double* third = work.at.*from + offset;
        for (Index k = 0; k < work.levels; k += width) {
            const Vector old = at(start + k);
            const Vector far = at(second + k) - old;
            Vector now;
            rate(k, now);
            const Vector steps = ((at(first + k) - old) + (far + far)) + (at(third + k) - old);
            at(next + k) = old + (steps * (1. / 3) + work.reach * now);
        }
    }

    /// \param body  takes the number of an edge
    template <class Body>
    [[gnu::always_inline]] static void for_each_complete_edge(const CellRow& row, Body body) {
        for (std::size_t i = 0; i < row.sides; ++i) {
            if ((row.complete_edges >> i & 1) != 0) body(row.edges[i]);
        }
    }

    [[gnu::always_inline]] static void ask_for_next(const Stage& work, auto Fields<const double>::* from,
                                                    auto Fields<double>::* to, Index row) {
        const Index offset = row * work.stride;
        ask_for_row(work.start.*from + offset, work.levels);
        if (work.ends_step) {
            ask_for_row(work.first.*from + offset, work.levels);
            ask_for_row(work.second.*from + offset, work.levels);
        } else {
            ask_for_row(work.next.*to + offset, work.levels);
        }
    }

    /// Prefetches the rows that `advance` will read and write.
    [[gnu::always_inline]] static void ask_for_advance(const Stage& work, const CellRow& row, bool is_own) {
        if (is_own) ask_for_next(work, &Fields<const double>::h, &Fields<double>::h, row.cell);
        for_each_complete_edge(
            row, [&](Number number) { ask_for_next(work, &Fields<const double>::u, &Fields<double>::u, number); });
    }

    [[gnu::always_inline]] static void advance(const Stage& work, const CellRow& row, bool is_own,
                                               const EdgeRow*& edge) {
        if (is_own) {
            const double* rate = scratch(work, rate_row);
            advance_row(work, &Fields<const double>::h, &Fields<double>::h, row.cell,
                        [&](Index k, Vector& to) { to = at(rate + k); });
        }
        for_each_complete_edge(row, [&](Number number) {
            const double* first = scratch(work, edge->gifts[0]);
            const double* second = scratch(work, edge->gifts[1]);
            const double inverse_distance = edge++->inverse_distance;
            advance_row(work, &Fields<const double>::u, &Fields<double>::u, number,
                        [&](Index k, Vector& to) { to = inverse_distance * (at(first + k) - at(second + k)); });
        });
    }

    /// Processes all cells. Each cell follows the potential vorticities that no earlier cell needed, and precedes the
    /// edges that the cell completes.
    template <bool keeps_energy>
    [[gnu::always_inline]] static void sweep(const Stage& work, bool advances) {
        const Block& block = *work.block;
        const auto cells = static_cast<Index>(block.cells.size());
        const VorticityRow* vertex = block.vorticities.data();
        const VorticityRow* const end = vertex + block.vorticities.size();
        const EdgeRow* edge = block.edges.data();
        for (Index number = 0; number < cells; ++number) {
            const CellRow& row = block.cells[static_cast<std::size_t>(number)];
            const Index later = number + cells_ahead;
            if (advances && later < cells) {
                ask_for_advance(work, block.cells[static_cast<std::size_t>(later)], later < block.own_cells);
            }
            for (std::size_t i = 0; i < row.sides; ++i) {
                if ((row.new_corners >> i & 1) == 0) continue;
                if (end - vertex > vertices_ahead) ask_for_vertex(work, vertex[vertices_ahead]);
                vorticity(work, *vertex++, scratch(work, row.corners[i]));
            }
            if (row.sides == most_sides) {
                cell<most_sides, keeps_energy>(work, row);
            } else {
                cell<most_sides - 1, keeps_energy>(work, row);
            }
            if (advances) advance(work, row, number < block.own_cells, edge);
        }
    }

    [[gnu::always_inline]] static void stage(const Stage& work) {
        for (Index repeat = 1; repeat <= work.work; ++repeat) {
            if (work.keeps_energy) {
                sweep<true>(work, repeat == work.work);
            } else {
                sweep<false>(work, repeat == work.work);
            }
        }
    }
};

struct OfStage {
    template <int bytes>
    [[gnu::always_inline]] static void run(const Stage& work) {
        BlockLoops<bytes>::stage(work);
    }
};

}  // namespace

Kernel<Stage> stage_kernel() { return for_this_cpu<OfStage, Stage>(); }

}  // namespace waywiser::shallow
