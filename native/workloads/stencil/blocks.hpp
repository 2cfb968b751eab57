/// Division of a box of points among threads and into cache blocks.
#pragma once

#include "workloads/common/halo_exchange.hpp"
#include "workloads/common/stopwatch.hpp"
#include "workloads/common/threads.hpp"
#include "workloads/stencil/stencil.hpp"

#include <algorithm>
#include <limits>
#include <optional>
#include <string>
#include <vector>

namespace waywiser::stencil {

/// Extent of a cache block: points of a row, rows, and planes. A kernel completes a block before it starts the next.
struct Block {
    Index points;
    Index rows;
    Index planes;

    friend bool operator==(const Block&, const Block&) = default;
};

/// Text of a block as `--block` accepts it, such as "512x16x4".
[[nodiscard]] inline std::string block_text(const Block& block) {
    return std::to_string(block.points) + 'x' + std::to_string(block.rows) + 'x' + std::to_string(block.planes);
}

inline constexpr Index all = std::numeric_limits<Index>::max();

/// Blocks to try: the fastest depends on machine, order and precision (docs/design/020-kernels.md). A block and its
/// successor, with the neighbours that they read, fit into the L2 cache. Blocks of part of a row fit into a cache of 1
/// MB. Blocks of whole rows, along which the processor itself prefetches, fit into 2 MB. An operator without neighbours
/// on axis 3 reads no plane again: all points are one block, in the order of memory.
template <class Real>
[[nodiscard]] std::vector<Block> usual_blocks(Operator operation, Index order) {
    if (!has_axis(operation, 3)) return {{all, all, all}};
    constexpr Index line = 64 / static_cast<Index>(sizeof(Real));
    return {{(order <= 8 ? 8 : 4) * line, sizeof(Real) == 4 ? 32 : 24, 8}, {all, 16, 4}, {all, 16, 2}, {all, 10, 4}};
}

/// Calls `visit(begin, end)` for parts of a range. Each part has `length` items except the last, which may be shorter,
/// or longer by less than `least`.
template <class Visit>
void each_part(Index lo, Index hi, Index length, Index least, Visit visit) {
    for (Index begin = lo, end = 0; begin < hi; begin = end) {
        end = hi - begin > length && hi - begin - length >= least ? begin + length : hi;
        visit(begin, end);
    }
}

/// Calls `visit(run)` for parts of a box along axis 1, each `block.points` long, with all rows and planes.
template <class Real, class Visit>
void each_run(const Region& box, const Block& block, Visit visit) {
    Region run = box;
    each_part(box.lo[0], box.hi[0], block.points, 64 / static_cast<Index>(sizeof(Real)), [&](Index lo, Index hi) {
        run.lo[0] = lo;
        run.hi[0] = hi;
        visit(run);
    });
}

/// Calls `visit(now, next)` for the blocks of this thread's planes, along axis 3 before axis 2. The last block is its
/// own successor. All threads of a parallel region must call this function.
template <class Real, class Visit>
void each_block(const Region& box, const Block& block, Visit visit) {
    constexpr Index together = 4;  // number of planes that kernels compute together
    const Index groups = (box.extent(2) + together - 1) / together;
    const Index begin = box.lo[2] + groups * thread_number() / team_size() * together;
    const Index end = std::min(box.lo[2] + groups * (thread_number() + 1) / team_size() * together, box.hi[2]);
    std::optional<Region> now;
    each_part(box.lo[1], box.hi[1], block.rows, 1, [&](Index lo_2, Index hi_2) {
        each_part(begin, end, block.planes, 1, [&](Index lo_3, Index hi_3) {
            const Region rows{{box.lo[0], lo_2, lo_3}, {box.hi[0], hi_2, hi_3}};
            each_run<Real>(rows, block, [&](const Region& next) {
                if (now) visit(*now, next);
                now = next;
            });
        });
    });
    if (now) visit(*now, *now);
}

/// Calls `compute(box)` on all threads: for the interior during the exchange of the halo, then for the points that need
/// the halo.
/// \return seconds spent in starting and finishing the exchange
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
