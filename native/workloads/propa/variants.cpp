#include "workloads/common/stopwatch.hpp"
#include "workloads/common/threads.hpp"
#include "workloads/propa/waves.hpp"

#include <algorithm>

namespace waywiser::propa {
namespace {

using stencil::Form;
using stencil::Operator;

// Measured (docs/design/020-kernels.md): so many rows and points of a row leave a piece's planes in the second cache.
constexpr Index block_rows = 32;
constexpr Index block_points = 512;

/// This thread's part of n, in whole groups.
std::pair<Index, Index> part(Index n, Index group) {
    const Index groups = (n + group - 1) / group;
    const Index begin = groups * thread_number() / team_size() * group;
    const Index end = groups * (thread_number() + 1) / team_size() * group;
    return {begin, std::min(n, end)};
}

/// One step: the interior while the halo is under way, then what needed it. `compute(box)` is called by all threads.
template <class Real, class Compute>
void step_overlapped(Waves<Real>& waves, Compute compute) {
    Stopwatch watch;
    waves.exchange.start(waves.current);
    double exchange_s = watch.lap_s();
#pragma omp parallel
    compute(waves.exchange.interior());
    watch.lap_s();
    waves.exchange.finish(waves.current);
    exchange_s += watch.lap_s();
    waves.exchange_s += exchange_s;
    for (const Region& box : waves.exchange.shell()) {
#pragma omp parallel
        compute(box);
    }
}

/// Each thread has some planes.
template <class Real>
void compute_plain(const Waves<Real>& waves, stencil::Kernel<Real> kernel, stencil::Work<Real> work, Grid<Real>& out,
                   const Region& box) {
    const auto [begin, end] = part(box.extent(2), 1);
    work.box = box;
    for (Index i3 = box.lo[2] + begin; i3 < box.lo[2] + end; ++i3) {
        work.box.lo[2] = i3;
        work.box.hi[2] = i3 + 1;
        kernel(work);
        waves.surface.apply(out, work.box);
    }
}

template <class Real>
void advance_baseline(Waves<Real>& waves, Index steps) {
    const auto kernel = stencil::find_kernel<Real>(Operator::leapfrog, Form::plain, waves.mode.order);
    for (Index step = 0; step < steps; ++step, waves.swap()) {
        const stencil::Work<Real> work = waves.step();
        step_overlapped(waves, [&](const Region& box) { compute_plain(waves, kernel, work, waves.previous, box); });
    }
}

/// Each thread has some planes, which it goes through in blocks of rows.
template <class Do>
void each_block(int order, const Region& box, Do visit) {
    const auto [begin, end] = part(box.extent(2), stencil::planes_at_once(order));
    Region block = box;
    block.lo[2] = box.lo[2] + begin;
    block.hi[2] = box.lo[2] + end;
    for (Index i2 = box.lo[1]; i2 < box.hi[1]; i2 += block_rows) {
        block.lo[1] = i2;
        block.hi[1] = std::min(i2 + block_rows, box.hi[1]);
        visit(block);
    }
}

template <class Real>
void advance_blocked(Waves<Real>& waves, Index steps) {
    const auto kernel = stencil::find_kernel<Real>(Operator::leapfrog, Form::vector, waves.mode.order);
    for (Index step = 0; step < steps; ++step, waves.swap()) {
        const stencil::Work<Real> work = waves.step();
        step_overlapped(waves, [&](const Region& box) {
            each_block(waves.mode.order, box,
                             [&](const Region& block) { sweep(waves, kernel, work, waves.previous, block); });
        });
    }
}

/// out = 2 in - out + factor laplacian, row by row.
template <class Real>
void add_laplacian(Waves<Real>& waves, const Region& box) {
    for (Index i3 = box.lo[2]; i3 < box.hi[2]; ++i3) {
        for (Index i2 = box.lo[1]; i2 < box.hi[1]; ++i2) {
            Real* __restrict out = waves.previous.row(i2, i3);
            const Real* __restrict in = waves.current.row(i2, i3);
            const Real* __restrict factor = waves.factor.row(i2, i3);
            const Real* __restrict sum = waves.laplacian.row(i2, i3);
            for (Index i = box.lo[0]; i < box.hi[0]; ++i) out[i] = 2 * in[i] - out[i] + factor[i] * sum[i];
        }
    }
}

template <class Real>
void advance_split(Waves<Real>& waves, Index steps) {
    const auto kernel = stencil::find_kernel<Real>(Operator::laplacian, Form::vector, waves.mode.order);
    if (waves.laplacian.inner() != waves.current.inner()) {
        waves.laplacian = Grid<Real>(waves.current.inner(), waves.current.halo(), 3);
        waves.laplacian.fill([](Index, Index, Index) { return 0; });
    }
    for (Index step = 0; step < steps; ++step, waves.swap()) {
        stencil::Work<Real> work = stencil::make_work<Real>(Operator::laplacian, waves.mode.order, waves.spacings,
                                                            waves.laplacian, waves.current, nullptr);
        step_overlapped(waves, [&](const Region& box) {
            each_block(waves.mode.order, box, [&](const Region& block) {
                stencil::Work<Real> mine = work;
                mine.box = block;
                kernel(mine);
            });
        });
#pragma omp parallel
        each_block(waves.mode.order, waves.current.inner_region(), [&](const Region& block) {
            add_laplacian(waves, block);
            waves.surface.apply(waves.previous, block);
        });
    }
}

template <class Real>
constexpr Variant<Real> table[] = {
    {"baseline", "plain loops, point by point", false, advance_baseline<Real>},
    {"split", "the Laplacian into an array of its own, then the update", false, advance_split<Real>},
    {"blocked", "vectors on several planes at once, in blocks that stay in cache", false, advance_blocked<Real>},
    {"temporal", "the same for several steps at once, in tiles skewed in time", true, advance_temporal<Real>},
};

}  // namespace

template <class Real>
void sweep(const Waves<Real>& waves, stencil::Kernel<Real> kernel, stencil::Work<Real> work, Grid<Real>& out,
           const Region& box) {
    const Index planes = stencil::planes_at_once(waves.mode.order);
    work.box = box;
    for (Index i1 = box.lo[0]; i1 < box.hi[0]; i1 += block_points) {
        work.box.lo[0] = i1;
        work.box.hi[0] = std::min(i1 + block_points, box.hi[0]);
        for (Index i3 = box.lo[2]; i3 < box.hi[2]; i3 += planes) {
            work.box.lo[2] = i3;
            work.box.hi[2] = std::min(i3 + planes, box.hi[2]);
            kernel(work);
            waves.surface.apply(out, work.box);
        }
    }
}

template <class Real>
std::span<const Variant<Real>> variants(int ranks) {
    const std::span<const Variant<Real>> all(table<Real>);
    return ranks == 1 ? all : all.first(all.size() - 1);
}

template void sweep(const Waves<float>&, stencil::Kernel<float>, stencil::Work<float>, Grid<float>&, const Region&);
template void sweep(const Waves<double>&, stencil::Kernel<double>, stencil::Work<double>, Grid<double>&, const Region&);
template std::span<const Variant<float>> variants(int);
template std::span<const Variant<double>> variants(int);

}  // namespace waywiser::propa
