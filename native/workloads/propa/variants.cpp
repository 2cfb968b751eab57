#include "workloads/propa/waves.hpp"
#include "workloads/stencil/blocks.hpp"

namespace waywiser::propa {
namespace {

using stencil::Block;
using stencil::Form;
using stencil::Operator;

template <class Real>
void advance_steps(Waves<Real>& waves, const Block& block, Index steps, Form form) {
    const auto kernel = stencil::find_kernel<Real>(Operator::leapfrog, form, waves.mode.order);
    for (Index step = 0; step < steps; ++step, waves.swap()) {
        const stencil::Work<Real> work = waves.step();
        waves.exchange_s += stencil::overlap(waves.exchange, waves.current, [&](const Region& box) {
            stencil::each_block<Real>(box, block, [&](const Region& now, const Region& next) {
                compute_piece(waves, kernel, work.part(now, next), waves.previous);
            });
        });
    }
}

template <class Real>
void advance_baseline(Waves<Real>& waves, const Block& block, Index steps) {
    advance_steps(waves, block, steps, Form::plain);
}

template <class Real>
void advance_blocked(Waves<Real>& waves, const Block& block, Index steps) {
    advance_steps(waves, block, steps, Form::vector);
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
void advance_split(Waves<Real>& waves, const Block& block, Index steps) {
    const auto kernel = stencil::find_kernel<Real>(Operator::laplacian, Form::vector, waves.mode.order);
    if (waves.laplacian.inner() != waves.current.inner()) {
        waves.laplacian = Grid<Real>(waves.current.inner(), waves.current.halo(), 3);
        waves.laplacian.fill([](Index, Index, Index) { return 0; });
    }
    for (Index step = 0; step < steps; ++step, waves.swap()) {
        const stencil::Work<Real> work = stencil::make_work<Real>(Operator::laplacian, waves.mode.order, waves.spacings,
                                                                  waves.laplacian, waves.current, nullptr);
        waves.exchange_s += stencil::overlap(waves.exchange, waves.current, [&](const Region& box) {
            stencil::each_block<Real>(box, block,
                                      [&](const Region& now, const Region& next) { kernel(work.part(now, next)); });
        });
#pragma omp parallel
        stencil::each_block<Real>(waves.current.inner_region(), {stencil::all, 16, 4},
                                  [&](const Region& now, const Region&) {
                                      add_laplacian(waves, now);
                                      waves.surface.apply(waves.previous, now);
                                  });
    }
}

/// A propagator of a field in host memory.
template <class Real, void (*advance_host)(Waves<Real>&, const Block&, Index)>
std::unique_ptr<Propagator<Real>> on_host(Waves<Real>& waves, const Block& block) {
    class OnHost : public Propagator<Real> {
    public:
        OnHost(Waves<Real>& waves, const Block& block) : waves_(waves), block_(block) {}
        void advance(Index steps) final { advance_host(waves_, block_, steps); }

    private:
        Waves<Real>& waves_;
        Block block_;
    };
    return std::make_unique<OnHost>(waves, block);
}

template <class Real>
bool anywhere(const Waves<Real>&) {
    return true;
}

template <class Real>
constexpr Variant<Real> table[] = {
    {"baseline", on_host<Real, advance_baseline<Real>>, false, anywhere<Real>},
    {"split", on_host<Real, advance_split<Real>>, true, anywhere<Real>},
    {"blocked", on_host<Real, advance_blocked<Real>>, true, anywhere<Real>},
    {"temporal", on_host<Real, advance_temporal<Real>>, true,
     [](const Waves<Real>& waves) { return waves.steps_at_once > 1; }},
#ifdef WAYWISER_CUDA
    {"cuda", on_device<Real>, false, [](const Waves<Real>&) { return has_device(); }},
#endif
};

}  // namespace

template <class Real>
void compute_piece(const Waves<Real>& waves, stencil::Kernel<Real> kernel, const stencil::Work<Real>& work,
                   Grid<Real>& out) {
    kernel(work);
    waves.surface.apply(out, work.box);
}

template <class Real>
std::span<const Variant<Real>> variants() {
    return table<Real>;
}

template void compute_piece(const Waves<float>&, stencil::Kernel<float>, const stencil::Work<float>&, Grid<float>&);
template void compute_piece(const Waves<double>&, stencil::Kernel<double>, const stencil::Work<double>&, Grid<double>&);
template std::span<const Variant<float>> variants();
template std::span<const Variant<double>> variants();

}  // namespace waywiser::propa
