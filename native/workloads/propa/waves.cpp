#include "workloads/propa/waves.hpp"

#include <algorithm>
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

/// Greatest number of steps in a pass of `temporal`. The thinnest part of a divided axis must have all points that its
/// neighbours' halos need.
Index most_steps(const Settings& settings, const Cartesian& cartesian) {
    Index steps = settings.order <= 4 ? 8 : 4;  // measured (docs/design/020-kernels.md)
    for (std::size_t axis = 0; axis < 3; ++axis) {
        const Index ranks = cartesian.ranks()[axis];
        if (ranks > 1) steps = std::min(steps, cartesian.points()[axis] / ranks / (settings.order / 2));
    }
    return std::max<Index>(steps, 1);
}

Index3 halo(const Settings& settings, const Cartesian& cartesian) {
    const Index radius = settings.order / 2;
    Index3 width{radius, radius, radius};
    for (std::size_t axis = 0; axis < 3; ++axis) {
        if (cartesian.ranks()[axis] > 1) width[axis] *= most_steps(settings, cartesian);
    }
    return width;
}

}  // namespace

template <class Real>
Waves<Real>::Waves(const Settings& settings, const Cartesian& cartesian, MPI_Comm communicator)
    : mode(settings.eigenmode()),
      sines{sines_of(mode, cartesian, 0), sines_of(mode, cartesian, 1), sines_of(mode, cartesian, 2)},
      spacings{mode.spacing(0), mode.spacing(1), mode.spacing(2)},
      previous(cartesian.owned_points(), halo(settings, cartesian), 0),
      current(cartesian.owned_points(), halo(settings, cartesian), 1),
      factor(cartesian.owned_points(), halo(settings, cartesian), 2),
      exchange(cartesian, current, {settings.order / 2, settings.order / 2, settings.order / 2}, communicator),
      steps_at_once(most_steps(settings, cartesian)),
      deep_exchange(cartesian, current, communicator),
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
