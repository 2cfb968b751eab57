/// How threads share a box of points, and go through it so that neighbours stay in cache.
#pragma once

#include "workloads/common/halo_exchange.hpp"
#include "workloads/common/stopwatch.hpp"
#include "workloads/common/threads.hpp"
#include "workloads/stencil/stencil.hpp"

#include <algorithm>
#include <utility>

namespace waywiser::stencil {

// Measured (docs/design/020-kernels.md): so many rows and points of a row leave a piece's planes, and what is fetched
// for the next ones, in the second cache.
constexpr Index block_rows = 16;
constexpr Index block_points = 512;

/// Calls `visit` for pieces of the box, along axis 3 last: each of as many planes as kernels compute at once.
template <class Visit>
void each_piece(const Region& box, int order, Visit visit) {
    const Index planes = planes_at_once(order);
    Region piece = box;
    for (Index i1 = box.lo[0]; i1 < box.hi[0]; i1 += block_points) {
        piece.lo[0] = i1;
        piece.hi[0] = std::min(i1 + block_points, box.hi[0]);
        for (Index i3 = box.lo[2]; i3 < box.hi[2]; i3 += planes) {
            piece.lo[2] = i3;
            piece.hi[2] = std::min(i3 + planes, box.hi[2]);
            visit(piece);
        }
    }
}

/// The same for the planes of this thread, in blocks of rows. To be called by all threads of a region.
template <class Visit>
void each_block(const Region& box, int order, Visit visit) {
    const Index planes = planes_at_once(order);
    const Index groups = (box.extent(2) + planes - 1) / planes;
    Region block = box;
    block.lo[2] = box.lo[2] + groups * thread_number() / team_size() * planes;
    block.hi[2] = std::min(box.lo[2] + groups * (thread_number() + 1) / team_size() * planes, box.hi[2]);
    for (Index i2 = box.lo[1]; i2 < box.hi[1]; i2 += block_rows) {
        block.lo[1] = i2;
        block.hi[1] = std::min(i2 + block_rows, box.hi[1]);
        each_piece(block, order, visit);
    }
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
