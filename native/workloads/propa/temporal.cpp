// Several steps in one pass through memory, in tiles of rows that lean back by the stencil's radius with every step.
//
// In a tile, planes are computed in groups; a group at step t lies t radii behind that at step 0, so that it finds all
// planes it reads computed (a wavefront along axis 3). Tiles along axis 2 are computed in order of rows: a tile at step
// t reads, below its rows, what the tile before left of that step, which that tile has not overwritten since its own
// rows end t radii lower. Neighbouring tiles run at the same time, the later one a group behind. The two arrays of
// leapfrog suffice: what a step overwrites has been read by all that needed it.
//
// Sources: M. Wolf, "More iteration space tiling", Supercomputing 1989, pp. 655-664, doi:10.1145/76263.76337 (skewing);
// G. Wellein, G. Hager, T. Zeiser, M. Wittmann, H. Fehske, "Efficient temporal blocking for stencil computations by
// multicore-aware wavefront parallelization", COMPSAC 2009, pp. 579-586, doi:10.1109/COMPSAC.2009.82.
#include "workloads/common/stopwatch.hpp"
#include "workloads/common/threads.hpp"
#include "workloads/propa/waves.hpp"
#include "workloads/stencil/blocks.hpp"

#include <algorithm>
#include <atomic>
#include <thread>
#include <tuple>
#include <vector>

namespace waywiser::propa {
namespace {

// Measured (docs/design/020-kernels.md).
constexpr Index tile_rows = 16;
constexpr Index group_planes = 8;

/// Groups that a tile has finished, on a cache line of its own.
struct alignas(64) Progress {
    std::atomic<Index> groups{0};

    void wait_for(Index wanted) const {
        for (int spins = 0; groups.load(std::memory_order_acquire) < wanted; ++spins) {
            if (spins > 1000) std::this_thread::yield();  // more threads than cores
        }
    }
};

template <class Real>
struct Pass {
    Waves<Real>& waves;
    stencil::Kernel<Real> kernel;
    Index steps;
    Index radius;

    /// What a step computes: the owned points, and of the neighbours' what later steps of the pass will read.
    [[nodiscard]] Region points(Index step) const { return waves.deep_exchange.beyond((steps - 1 - step) * radius); }

    [[nodiscard]] Index pieces(std::size_t axis, Index length) const {
        const Index begin = points(0).lo[axis];
        return (waves.current.inner()[axis] + (steps - 1) * radius - begin + length - 1) / length;
    }

    /// What a piece of an axis covers at a step.
    [[nodiscard]] std::pair<Index, Index> range(std::size_t axis, Index piece, Index length, Index step) const {
        const Region now = points(step);
        const Index low = points(0).lo[axis] + piece * length - step * radius;
        return {std::clamp(low, now.lo[axis], now.hi[axis]), std::clamp(low + length, now.lo[axis], now.hi[axis])};
    }

    void group(Index tile, Index group) {
        Grid<Real>* out = &waves.previous;
        Grid<Real>* in = &waves.current;
        for (Index step = 0; step < steps; ++step, std::swap(out, in)) {
            Region box = points(step);
            std::tie(box.lo[1], box.hi[1]) = range(1, tile, tile_rows, step);
            std::tie(box.lo[2], box.hi[2]) = range(2, group, group_planes, step);
            if (box.points() == 0) continue;
            const stencil::Work<Real> work = stencil::make_work(stencil::Operator::leapfrog, waves.mode.order,
                                                                waves.spacings, *out, *in, &waves.factor);
            stencil::each_piece(box, stencil::Operator::leapfrog, waves.mode.order,
                                [&](const Region& piece) { compute_piece(waves, kernel, work, *out, piece); });
        }
    }
};

template <class Real>
void advance_together(Waves<Real>& waves, Index steps) {
    Pass<Real> pass{waves,
                    stencil::find_kernel<Real>(stencil::Operator::leapfrog, stencil::Form::vector, waves.mode.order),
                    steps, waves.mode.order / 2};
    const Index tiles = pass.pieces(1, tile_rows);
    const Index groups = pass.pieces(2, group_planes);
    std::vector<Progress> progress(static_cast<std::size_t>(tiles) + 1);
    progress[0].groups = groups;  // before the first tile there is nothing to wait for
#pragma omp parallel
    for (Index tile = thread_number(); tile < tiles; tile += team_size()) {
        for (Index group = 0; group < groups; ++group) {
            progress[static_cast<std::size_t>(tile)].wait_for(group + 1);
            pass.group(tile, group);
            progress[static_cast<std::size_t>(tile) + 1].groups.store(group + 1, std::memory_order_release);
        }
    }
    if (steps % 2 == 1) waves.swap();
}

}  // namespace

template <class Real>
void advance_temporal(Waves<Real>& waves, Index steps) {
    const auto exchange = [&](Grid<Real>& grid) {
        Stopwatch watch;
        waves.deep_exchange.exchange(grid);
        waves.exchange_s += watch.lap_s();
    };
    exchange(waves.factor);  // which may be another since the last time
    while (steps > 0) {
        const Index together = std::min(steps, waves.steps_at_once);
        exchange(waves.current);
        exchange(waves.previous);
        advance_together(waves, together);
        steps -= together;
    }
}

template void advance_temporal(Waves<float>&, Index);
template void advance_temporal(Waves<double>&, Index);

}  // namespace waywiser::propa
