/// Division of a box of points among threads, and an order in which neighbours stay in cache.
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

/// A block of points of a row, of rows and of planes, which is completed before the next block.
struct Block {
    Index points;
    Index rows;
    Index planes;

    friend bool operator==(const Block&, const Block&) = default;
};

/// "512x16x4": as `--block` takes it.
[[nodiscard]] inline std::string block_text(const Block& block) {
    return std::to_string(block.points) + 'x' + std::to_string(block.rows) + 'x' + std::to_string(block.planes);
}

inline constexpr Index all = std::numeric_limits<Index>::max();

/// Blocks to try: the fastest depends on machine, order and precision (docs/design/020-kernels.md). A block and the
/// next one, with the points that they read around them, fit into the second-level cache. Runs of points fit into a
/// cache of 1 MB, whole rows into one of 2 MB, where the processor itself prefetches along the rows. If no planes are
/// read again, all points are one block, in the order of memory.
template <class Real>
[[nodiscard]] std::vector<Block> usual_blocks(Operator operation, Index order) {
    if (!has_axis(operation, 3)) return {{all, all, all}};
    constexpr Index line = 64 / static_cast<Index>(sizeof(Real));
    return {{(order <= 8 ? 8 : 4) * line, sizeof(Real) == 4 ? 32 : 24, 8}, {all, 16, 4}, {all, 16, 2}, {all, 10, 4}};
}

/// Calls `visit` for parts of a range, each of `length` but for the last, which may be shorter, or longer by less than
/// `least`.
template <class Visit>
void each_part(Index lo, Index hi, Index length, Index least, Visit visit) {
    for (Index begin = lo, end = 0; begin < hi; begin = end) {
        end = hi - begin > length && hi - begin - length >= least ? begin + length : hi;
        visit(begin, end);
    }
}

/// Calls `visit` for runs of the points of a box, in all its rows and planes.
template <class Real, class Visit>
void each_run(const Region& box, const Block& block, Visit visit) {
    Region run = box;
    each_part(box.lo[0], box.hi[0], block.points, 64 / static_cast<Index>(sizeof(Real)), [&](Index lo, Index hi) {
        run.lo[0] = lo;
        run.hi[0] = hi;
        visit(run);
    });
}

/// Calls `visit(now, next)` for blocks of the planes of this thread, along axis 3 before axis 2; the last one is its
/// own next. To be called by all threads of a region.
template <class Real, class Visit>
void each_block(const Region& box, const Block& block, Visit visit) {
    constexpr Index together = 4;  // number of rows that kernels compute together
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
