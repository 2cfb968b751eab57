/// How threads share a box of points, and go through it so that neighbours stay in cache.
#pragma once

#include "workloads/common/halo_exchange.hpp"
#include "workloads/common/stopwatch.hpp"
#include "workloads/common/threads.hpp"
#include "workloads/stencil/stencil.hpp"

#include <algorithm>
#include <limits>
#include <utility>

namespace waywiser::stencil {

/// Of points of a row, and of rows, that are gone through along axis 3 before the next ones.
struct Block {
    Index points;
    Index rows;
};

/// Measured (docs/design/020-kernels.md): so much of a piece's planes, and of what is fetched for the next ones, is in
/// the second cache. Where no planes are read again, they are gone through as they lie in memory.
[[nodiscard]] constexpr Block block_of(Operator operation) {
    constexpr Index all = std::numeric_limits<Index>::max();
    return has_axis(operation, 3) ? Block{512, 16} : Block{all, all};
}

/// Calls `visit` for parts of a range, each of `length` but for the last.
template <class Visit>
void each_part(Index lo, Index hi, Index length, Visit visit) {
    for (Index begin = lo, end = 0; begin < hi; begin = end) {
        end = hi - begin > length ? begin + length : hi;
        visit(begin, end);
    }
}

/// Calls `visit` for pieces of the box, along axis 3 last: each of as many planes as kernels compute at once.
template <class Visit>
void each_piece(const Region& box, Operator operation, int order, Visit visit) {
    Region piece = box;
    each_part(box.lo[0], box.hi[0], block_of(operation).points, [&](Index lo_1, Index hi_1) {
        piece.lo[0] = lo_1;
        piece.hi[0] = hi_1;
        each_part(box.lo[2], box.hi[2], planes_at_once(order), [&](Index lo_3, Index hi_3) {
            piece.lo[2] = lo_3;
            piece.hi[2] = hi_3;
            visit(piece);
        });
    });
}

/// The same for the planes of this thread, in blocks of rows. To be called by all threads of a region.
template <class Visit>
void each_block(const Region& box, Operator operation, int order, Visit visit) {
    const Index planes = planes_at_once(order);
    const Index groups = (box.extent(2) + planes - 1) / planes;
    Region block = box;
    block.lo[2] = box.lo[2] + groups * thread_number() / team_size() * planes;
    block.hi[2] = std::min(box.lo[2] + groups * (thread_number() + 1) / team_size() * planes, box.hi[2]);
    each_part(box.lo[1], box.hi[1], block_of(operation).rows, [&](Index lo, Index hi) {
        block.lo[1] = lo;
        block.hi[1] = hi;
        each_piece(block, operation, order, visit);
    });
}

/// `compute(box)` for the interior while the halo is under way, then for what needed it; by all threads.
/// \return seconds in starting and awaiting the exchange
template <class Real, class Compute>
double overlap(HaloExchange<Real>& exchange, Grid<Real>& grid, Compute compute) {
    Stopwatch watch;
    exchange.start(grid);
    double exchange_s = watch.lap_s();
#pragma omp parallel
    compute(exchange.interior());
    watch.lap_s();
    exchange.finish(grid);
    exchange_s += watch.lap_s();
    for (const Region& box : exchange.shell()) {
#pragma omp parallel
        compute(box);
    }
    return exchange_s;
}

}  // namespace waywiser::stencil
