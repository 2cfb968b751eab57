#include "workloads/grid/workbench.hpp"

#include "workloads/grid/truth.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace waywiser::grid {
namespace {

/// Value of all halo points; a kernel that reads the halo gets far too large a result.
constexpr double outside = 1e6;

template <class Real>
Fields<Real> make_fields(const Cartesian& cartesian, Index halo) {
    const Index3 inner = cartesian.owned_points();
    const Index3 width{halo, halo, halo};
    return {Grid<Real>(inner, width, 0), Grid<Real>(inner, width, 1), Grid<Real>(inner, width, 2),
            Grid<Real>(inner, width, 3)};
}

double relative(double value, double expected) {
    if (value == expected) return 0;
    const double error = std::abs(value - expected) / (expected == 0 ? 1 : std::abs(expected));
    return std::isfinite(error) ? error : std::numeric_limits<double>::infinity();
}

double worst(const Reduced& reduced, const Reduced& expected) {
    return std::max(relative(reduced.value, expected.value), relative(reduced.beside, expected.beside));
}

bool takes_greatest(Operation operation) {
    return operation == Operation::max || operation == Operation::min || operation == Operation::max_error;
}

}  // namespace

template <class Real>
Workbench<Real>::Workbench(const Settings& settings, const Ranks& ranks)
    : ranks_(ranks),
      cartesian_(settings.points, cut(settings.points, ranks.count, settings.ranks), ranks.rank),
      fields_(make_fields<Real>(cartesian_, settings.order / 2)),
      boundary_(cartesian_, settings.order / 2, all_faces),
      fill_value_(static_cast<Real>(settings.fill_value)),
      barrier_(settings.barrier) {
    const auto set = [this](Grid<Real>& grid, auto value) {
        grid.fill(
            [&](Index i1, Index i2, Index i3) { return is_inner(i1, i2, i3) ? value(residue(i1, i2, i3)) : outside; });
    };
    set(fields_.r, [](int residue) { return r_128(residue) / 128.0; });
    set(fields_.l, [](int residue) { return l_128(residue) / 128.0; });
    set(fields_.c, c_value);
    reset_w();
}

template <class Real>
void Workbench<Real>::reset_w() {
    fields_.w.fill([this](Index i1, Index i2, Index i3) {
        return is_inner(i1, i2, i3) ? w_128(residue(i1, i2, i3)) / 128.0 : outside;
    });
}

template <class Real>
bool Workbench<Real>::is_inner(Index i1, Index i2, Index i3) const {
    const Index3& n = fields_.w.inner();
    return i1 >= 0 && i1 < n[0] && i2 >= 0 && i2 < n[1] && i3 >= 0 && i3 < n[2];
}

template <class Real>
int Workbench<Real>::residue(Index i1, Index i2, Index i3) const {
    const Index3& lo = cartesian_.owned().lo;
    return residue_of({lo[0] + i1, lo[1] + i2, lo[2] + i3});
}

template <class Real>
Reduced Workbench<Real>::run(const Kernel& kernel, Form form) {
    if (kernel.reduces()) return reduce(kernel.operation, form, fields_);
    if (kernel.operation == Operation::fill) fill(fields_, fill_value_);
    if (kernel.operation == Operation::update_pressure) update_pressure(fields_);
    if (kernel.operation == Operation::boundary) boundary_.apply(fields_.w);
    return {};
}

template <class Real>
Reduced Workbench<Real>::over_ranks(const Kernel& kernel, const Reduced& local) const {
    double values[2] = {local.value, local.beside};
    const MPI_Op operation = !takes_greatest(kernel.operation)    ? MPI_SUM
                             : kernel.operation == Operation::min ? MPI_MIN
                                                                  : MPI_MAX;
    MPI_Allreduce(MPI_IN_PLACE, values, 2, MPI_DOUBLE, operation, ranks_.communicator);
    return {values[0], values[1]};
}

template <class Real>
Result Workbench<Real>::measure(const Kernel& kernel, Form form, Index tries) {
    if (!kernel.reduces()) reset_w();
    Reduced value;
    Tries taken = time_tries(tries, ranks_.communicator, [&] {
        const Reduced local = run(kernel, form);
        if (kernel.reduces()) value = over_ranks(kernel, local);
        if (barrier_) MPI_Barrier(ranks_.communicator);
    });
    const double error = greatest(
        kernel.reduces() ? error_of_reduction(kernel, form, value) : error_of_field(kernel, tries + 1), ranks_);
    if (!kernel.reduces()) reset_w();
    // Only quotients are rounded; all other results are exact.
    const double allowed = kernel.operation == Operation::max_error ? 2 * std::numeric_limits<Real>::epsilon() : 0;
    return {std::move(taken), value, error, allowed};
}

template <class Real>
double Workbench<Real>::error_of_reduction(const Kernel& kernel, Form form, const Reduced& everywhere) {
    const Region whole{{0, 0, 0}, cartesian_.points()};
    const double of_rank = worst(run(kernel, form), expected(kernel.operation, cartesian_.owned()));
    const double of_all = worst(everywhere, expected(kernel.operation, whole));
    return std::max({of_rank, of_all, takes_greatest(kernel.operation) ? error_of_planted(kernel, form) : 0.0});
}

/// Checks that an extreme value is found at any position. The value is planted at one point after the other, from the
/// first to the last of every rank. The last rank has the largest value.
template <class Real>
double Workbench<Real>::error_of_planted(const Kernel& kernel, Form form) {
    constexpr Index places = 16;
    constexpr double extreme = 1024;
    const double sign = kernel.operation == Operation::min ? -1 : 1;
    const Index3& n = fields_.w.inner();
    double error = 0;
    for (Index place = 0; place < places; ++place) {
        const auto along = [&](std::size_t axis) { return (n[axis] - 1) * place / (places - 1); };
        Real& point = fields_.w.at(along(0), along(1), along(2));
        const Real before = point;
        const double planted = sign * (extreme + ranks_.rank);
        point = static_cast<Real>(planted);
        const Reduced local = run(kernel, form);
        point = before;
        if (kernel.operation == Operation::max_error) {
            const auto reference = static_cast<double>(fields_.r.at(along(0), along(1), along(2)));
            const double size = reference == 0 ? 1 : std::abs(reference);
            error = std::max(error, relative(local.value, std::abs(planted - reference) / size));
            continue;
        }
        const double of_last_rank = sign * (extreme + ranks_.count - 1);
        error = std::max(error, relative(local.value, planted));
        error = std::max(error, relative(over_ranks(kernel, local).value, of_last_rank));
    }
    return error;
}

/// Compares all points, including the halo. \param expected  expected value at local point (i1, i2, i3)
template <class Real>
template <class Expected>
double Workbench<Real>::greatest_error(Expected expected) {
    double greatest = 0;
    const Region all = fields_.w.whole_region();
#pragma omp parallel for schedule(static) reduction(max : greatest)
    for (Index i3 = all.lo[2]; i3 < all.hi[2]; ++i3) {
        for (Index i2 = all.lo[1]; i2 < all.hi[1]; ++i2) {
            for (Index i1 = all.lo[0]; i1 < all.hi[0]; ++i1) {
                const double error = relative(static_cast<double>(fields_.w.at(i1, i2, i3)), expected(i1, i2, i3));
                greatest = std::max(greatest, error);
            }
        }
    }
    return greatest;
}

template <class Real>
double Workbench<Real>::error_of_field(const Kernel& kernel, Index sweeps) {
    if (kernel.operation == Operation::boundary) {
        return greatest_error([this](Index i1, Index i2, Index i3) { return after_boundary(i1, i2, i3); });
    }
    const bool undone = sweeps % 2 == 0;  // Two updates restore w: 2 r - (2 r - w + c l) + c l = w.
    return greatest_error([&](Index i1, Index i2, Index i3) {
        if (!is_inner(i1, i2, i3)) return outside;
        if (kernel.operation == Operation::fill) return static_cast<double>(fill_value_);
        const int at = residue(i1, i2, i3);
        const double w = w_128(at) / 128.0;
        return undone ? w : 2 * r_128(at) / 128.0 - w + c_value(at) * l_128(at) / 128.0;
    });
}

/// Expected value: 0 on the surface, minus the mirrored point beyond it, and unchanged elsewhere.
template <class Real>
double Workbench<Real>::after_boundary(Index i1, Index i2, Index i3) const {
    const Index3& n = fields_.w.inner();
    Index3 point{i1, i2, i3};
    int beyond = 0;
    bool surface = false;
    for (std::size_t axis = 0; axis < 3; ++axis) {
        const bool first = cartesian_.owned().lo[axis] == 0;
        const bool last = cartesian_.owned().hi[axis] == cartesian_.points()[axis];
        if (point[axis] < 0 || point[axis] >= n[axis]) {
            ++beyond;
            if (point[axis] < 0 ? !first : !last) return outside;  // The point belongs to a neighbour.
            point[axis] = point[axis] < 0 ? -point[axis] : 2 * (n[axis] - 1) - point[axis];
        }
        surface = surface || (first && point[axis] == 0) || (last && point[axis] == n[axis] - 1);
    }
    if (beyond > 1) return outside;
    const double there = surface ? 0 : w_128(residue(point[0], point[1], point[2])) / 128.0;
    return beyond == 1 ? -there : there;
}

template <class Real>
Cost Workbench<Real>::cost(const Kernel& kernel) const {
    const auto bytes = static_cast<Index>(sizeof(Real));
    if (kernel.operation != Operation::boundary) {
        const Index points = Region{{0, 0, 0}, cartesian_.points()}.points();
        const Index counted = points * bytes * (kernel.arrays_read + kernel.arrays_written);
        return {points, counted, counted + points * bytes * kernel.write_allocates, points * kernel.flops};
    }
    const auto values = boundary_.values();
    Index sums[2] = {values.written, values.read};
    MPI_Allreduce(MPI_IN_PLACE, sums, 2, MPI_INT64_T, MPI_SUM, ranks_.communicator);
    return {sums[0], bytes * (sums[0] + sums[1]), bytes * (2 * sums[0] + sums[1]), 0};
}

template class Workbench<float>;
template class Workbench<double>;

}  // namespace waywiser::grid
