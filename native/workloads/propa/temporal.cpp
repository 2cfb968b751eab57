// Temporal blocking: several steps in one pass through memory, in tiles of rows that are skewed by the stencil's radius
// in every step.
//
// A tile computes planes in groups. A group at step t lies t radii behind the group at step 0, so that all planes that
// it reads are computed (a wavefront along axis 3). Tiles along axis 2 are computed in order of rows. Below its rows, a
// tile at step t reads values of that step from the preceding tile. The preceding tile has not overwritten these
// values, since its own rows end t radii lower. Neighbouring tiles run at the same time, the later tile a step of a
// group behind. In the L3 cache they therefore act as one tile of all their rows. The two arrays of leapfrog suffice,
// since a step overwrites only values that are no longer needed.
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
#include <optional>
#include <thread>
#include <tuple>
#include <vector>

namespace waywiser::propa {
namespace {

/// Number of steps of groups that a tile has finished, on a cache line of its own to avoid false sharing.
struct alignas(64) Progress {
    std::atomic<Index> steps{0};

    void wait_for(Index target) const {
        for (int spins = 0; steps.load(std::memory_order_acquire) < target; ++spins) {
            if (spins > 1000) std::this_thread::yield();  // There may be more threads than cores.
        }
    }
    void reach(Index done) { steps.store(done, std::memory_order_release); }
};

[[nodiscard]] Index parts(Index whole, Index part) { return (whole + part - 1) / part; }

template <class Real>
struct Pass {
    Waves<Real>& waves;
    stencil::Kernel<Real> kernel;
    Index steps;
    Index radius;
    stencil::Block block;

    /// The points of a step: the owned points, and neighbours' points that later steps of the pass will read.
    [[nodiscard]] Region points(Index step) const { return waves.deep_exchange.beyond((steps - 1 - step) * radius); }

    /// Extent of an axis in skewed coordinates, over all steps of the pass.
    [[nodiscard]] Index extent(std::size_t axis) const {
        return waves.current.inner()[axis] + (steps - 1) * radius - points(0).lo[axis];
    }

    /// The range of a piece of an axis at a step.
    [[nodiscard]] std::pair<Index, Index> range(std::size_t axis, Index piece, Index length, Index step) const {
        const Region now = points(step);
        const Index low = points(0).lo[axis] + piece * length - step * radius;
        return {std::clamp(low, now.lo[axis], now.hi[axis]), std::clamp(low + length, now.lo[axis], now.hi[axis])};
    }

    /// A run of points in all rows and planes of a group at a step.
    struct Piece {
        stencil::Work<Real> work;
        Grid<Real>* out;
        Index step;  ///< from 1, including the steps of earlier groups
        bool begins_step;
        bool ends_step;
    };

    /// Visits the pieces of a tile in the order of computation.
    template <class Visit>
    void each_piece(Index tile, Index groups, Visit visit) const {
        for (Index count = 0; count < groups * steps; ++count) {
            const Index step = count % steps;
            Grid<Real>* out = step % 2 == 0 ? &waves.previous : &waves.current;
            const Grid<Real>* in = step % 2 == 0 ? &waves.current : &waves.previous;
            Region box = points(step);
            std::tie(box.lo[1], box.hi[1]) = range(1, tile, block.rows, step);
            std::tie(box.lo[2], box.hi[2]) = range(2, count / steps, block.planes, step);
            if (box.points() == 0) continue;
            Piece piece{stencil::make_work(stencil::Operator::leapfrog, waves.mode.order, waves.spacings, *out, *in,
                                           &waves.factor),
                        out, count + 1, true, false};
            stencil::each_run<Real>(box, block, [&](const Region& run) {
                piece.work.box = run;
                piece.begins_step = run.lo[0] == box.lo[0];
                piece.ends_step = run.hi[0] == box.hi[0];
                visit(piece);
            });
        }
    }

    /// Computes each step of each group after the preceding tile has finished the same step.
    void compute_tile(Index tile, Index groups, const Progress& before, Progress& mine) const {
        const auto compute = [&](const Piece& piece) {
            if (piece.begins_step) before.wait_for(piece.step);
            compute_piece(waves, kernel, piece.work, *piece.out);
            if (piece.ends_step) mine.reach(piece.step);
        };
        std::optional<Piece> last;
        each_piece(tile, groups, [&](const Piece& next) {
            if (last) {
                last->work.announce(next.work);
                compute(*last);
            }
            last = next;
        });
        if (last) compute(*last);
        mine.reach(groups * steps);
    }
};

template <class Real>
void advance_together(Waves<Real>& waves, const stencil::Block& block, Index steps) {
    Pass<Real> pass{waves,
                    stencil::find_kernel<Real>(stencil::Operator::leapfrog, stencil::Form::vector, waves.mode.order),
                    steps, waves.mode.order / 2, block};
    const Index threads = thread_limit();
    // All threads have the same number of tiles.
    const Index tiles = parts(pass.extent(1), pass.block.rows * threads) * threads;
    pass.block.rows = parts(pass.extent(1), tiles);
    const Index groups = parts(pass.extent(2), pass.block.planes);
    std::vector<Progress> progress(static_cast<std::size_t>(tiles) + 1);
    progress[0].reach(groups * steps);  // The first tile has no predecessor to wait for.
#pragma omp parallel
    for (Index tile = thread_number(); tile < tiles; tile += team_size()) {
        const auto place = static_cast<std::size_t>(tile);
        pass.compute_tile(tile, groups, progress[place], progress[place + 1]);
    }
    if (steps % 2 == 1) waves.swap();
}

}  // namespace

template <class Real>
void advance_temporal(Waves<Real>& waves, const stencil::Block& block, Index steps) {
    const auto exchange = [&](Grid<Real>& grid) {
        Stopwatch watch;
        waves.deep_exchange.exchange(grid);
        waves.exchange_s += watch.lap_s();
    };
    while (steps > 0) {
        const Index together = std::min(steps, waves.steps_at_once);
        exchange(waves.current);
        exchange(waves.previous);
        advance_together(waves, block, together);
        steps -= together;
    }
}

template void advance_temporal(Waves<float>&, const stencil::Block&, Index);
template void advance_temporal(Waves<double>&, const stencil::Block&, Index);

}  // namespace waywiser::propa
