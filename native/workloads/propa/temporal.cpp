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
constexpr Index greatest_steps(int order) { return order <= 8 ? 8 : 4; }
constexpr Index tile_rows = 32;
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

    [[nodiscard]] Index pieces(Index points, Index length) const {
        return (points + (steps - 1) * radius + length - 1) / length;
    }

    /// What a piece of an axis covers at a step.
    [[nodiscard]] std::pair<Index, Index> range(Index piece, Index length, Index step, Index points) const {
        const Index low = piece * length - step * radius;
        return {std::clamp<Index>(low, 0, points), std::clamp<Index>(low + length, 0, points)};
    }

    void group(Index tile, Index group) {
        Grid<Real>* out = &waves.previous;
        Grid<Real>* in = &waves.current;
        for (Index step = 0; step < steps; ++step, std::swap(out, in)) {
            Region box = in->inner_region();
            std::tie(box.lo[1], box.hi[1]) = range(tile, tile_rows, step, in->inner()[1]);
            std::tie(box.lo[2], box.hi[2]) = range(group, group_planes, step, in->inner()[2]);
            if (box.points() == 0) continue;
            const stencil::Work<Real> work = stencil::make_work(stencil::Operator::leapfrog, waves.mode.order,
                                                                waves.spacings, *out, *in, &waves.factor);
            stencil::each_piece(box, waves.mode.order,
                                [&](const Region& piece) { compute_piece(waves, kernel, work, *out, piece); });
        }
    }
};

template <class Real>
void advance_together(Waves<Real>& waves, Index steps) {
    Pass<Real> pass{waves,
                    stencil::find_kernel<Real>(stencil::Operator::leapfrog, stencil::Form::vector, waves.mode.order),
                    steps, waves.mode.order / 2};
    const Index tiles = pass.pieces(waves.current.inner()[1], tile_rows);
    const Index groups = pass.pieces(waves.current.inner()[2], group_planes);
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
    const Index most = greatest_steps(waves.mode.order);
    for (; steps > 0; steps -= std::min(steps, most)) advance_together(waves, std::min(steps, most));
}

template void advance_temporal(Waves<float>&, Index);
template void advance_temporal(Waves<double>&, Index);

}  // namespace waywiser::propa
