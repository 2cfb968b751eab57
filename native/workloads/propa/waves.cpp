#include "workloads/propa/waves.hpp"

#include <cmath>
#include <numbers>
#include <vector>

namespace waywiser::propa {
namespace {

/// sin(pi N x) at the owned points of an axis; exactly 0 at both ends.
std::vector<double> sines_of(const stencil::Eigenmode& mode, const Cartesian& cartesian, std::size_t axis) {
    const Index last = mode.points[axis] - 1;
    std::vector<double> result;
    for (Index i = cartesian.owned().lo[axis]; i < cartesian.owned().hi[axis]; ++i) {
        const bool end = i == 0 || i == last;
        result.push_back(
            end ? 0 : std::sin(std::numbers::pi * mode.modes[axis] * static_cast<double>(i) * mode.spacing(axis)));
    }
    return result;
}

Index3 halo(const Settings& settings) { return {settings.order / 2, settings.order / 2, settings.order / 2}; }

}  // namespace

template <class Real>
Waves<Real>::Waves(const Settings& settings, const Cartesian& cartesian, MPI_Comm communicator)
    : mode(settings.eigenmode()),
      sines{sines_of(mode, cartesian, 0), sines_of(mode, cartesian, 1), sines_of(mode, cartesian, 2)},
      spacings{mode.spacing(0), mode.spacing(1), mode.spacing(2)},
      previous(cartesian.owned_points(), halo(settings), 0),
      current(cartesian.owned_points(), halo(settings), 1),
      factor(cartesian.owned_points(), halo(settings), 2),
      exchange(cartesian, current, halo(settings), communicator),
      surface(cartesian, settings.order / 2, settings.mirrored_faces()) {
    const double square = settings.dt * settings.dt;
    factor.fill([square](Index, Index, Index) { return square; });
}

template <class Real>
void Waves<Real>::start() {
    const Index3 n = current.inner();
    const auto space = [&](std::size_t axis, Index i) {
        return i >= 0 && i < n[axis] ? sines[axis][static_cast<std::size_t>(i)] : 0.0;
    };
    for (Grid<Real>* grid : {&previous, &current}) {
        const double amplitude = mode.amplitude(grid == &previous ? -2 : -1);
        grid->fill(
            [&](Index i1, Index i2, Index i3) { return amplitude * space(0, i1) * space(1, i2) * space(2, i3); });
        surface.apply(*grid, grid->inner_region());
    }
}

template <class Real>
stencil::Work<Real> Waves<Real>::step() {
    return stencil::make_work(stencil::Operator::leapfrog, mode.order, spacings, previous, current, &factor);
}

template struct Waves<float>;
template struct Waves<double>;

}  // namespace waywiser::propa
