#include "workloads/fd/field.hpp"

#include "workloads/common/greatest.hpp"
#include "workloads/common/text.hpp"
#include "workloads/stencil/exact.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

namespace waywiser::fd {
namespace {

using stencil::Operator;

/// Values of `function(pi m x)` at points low ... high - 1 of the whole grid, moved by `shift` points.
std::vector<double> wave(const Settings& s, std::size_t axis, Index low, Index high, double (*function)(double),
                         double shift = 0) {
    std::vector<double> values;
    for (Index i = low; i < high; ++i) {
        values.push_back(
            function(std::numbers::pi * s.modes[axis] * (static_cast<double>(i) + shift) * s.spacing(axis)));
    }
    return values;
}

double sine(double x) { return std::sin(x); }
double cosine(double x) { return std::cos(x); }

/// Factor by which an operator multiplies the product of three waves: the analytic factor, and the factor of the
/// difference formula.
struct Factors {
    double analytic;
    double formula;
};

Factors factors(const Settings& s, Operator operation) {
    Factors sum{0, 0};
    for (std::size_t axis = 0; axis < 3; ++axis) {
        const double h = s.spacing(axis);
        const double number = std::numbers::pi * s.modes[axis];
        const int order = static_cast<int>(s.order);
        if (operation == Operator{static_cast<int>(axis)})
            return {number, stencil::first_symbol(order, number * h) / h};
        const bool has_axis = operation == Operator::laplacian || static_cast<std::size_t>(operation) == axis + 3;
        if (!has_axis) continue;
        sum.analytic -= number * number;
        sum.formula += stencil::second_symbol(order, number * h) / (h * h);
    }
    return sum;
}

/// Wave of the operator's result along an axis; on the axis of a first derivative, a cosine at i - 1/2.
std::vector<double> result_wave(const Settings& s, Operator operation, std::size_t axis, Index low, Index high) {
    const bool derived = operation == Operator{static_cast<int>(axis)};
    return wave(s, axis, low, high, derived ? cosine : sine, derived ? -0.5 : 0);
}

/// Sum of |analytic result| over all points of the grid: a product of sums along the axes, which every rank computes.
double whole_magnitude(const Settings& s, Operator operation, double analytic) {
    double product = std::abs(s.amplitude * analytic);
    for (std::size_t axis = 0; axis < 3; ++axis) {
        double sum = 0;
        for (const double value : result_wave(s, operation, axis, 0, s.points[axis])) sum += std::abs(value);
        product *= sum;
    }
    return product;
}

/// Upper bound of the relative rounding error of a sum. A row that is missing from 1000^3 points changes the sum ten
/// times as much.
constexpr double lost_share = 1e-7;

/// An upper bound of the rounding error of the formula's result, for u of amplitude 1; not an estimate.
///
/// Let r and d be the unit roundoffs of Real and of double, m half the order, h the spacing, and S the sum of |a_k| (of
/// first derivatives 2 sum |c_k|). The formula multiplies an error of a value of u by at most S/h^2 (S/h). The same
/// factor bounds the error of each product and sum of the formula, because no partial sum exceeds S/h^2 max |u|. The
/// roundings, each relative to values up to 1, are:
///
///   of Real, the kernel:  1 to store u, 2 for the pair of neighbours and its product, m + 1 to add up an axis,
///                         2 for the other axes, 1 for a tap                                             -> (m + 7) r
///   of double:            3 in the product of sines; 9 in a_k / h^2; 4 in amplitude, waves and factor of the result
///                         that is compared; 2 m + 8 in the symbol of the formula, 2 in its h^2       -> (2 m + 26) d
///   of the sine:          two products in its argument x = ((pi N) i) h, each x d at most. With the halo, x is up to
///                         pi N (1 + m h). 1 ulp of the sine itself. In the values, in the wave of the result, and as
///                         k phase in the symbol, whose argument is up to
///                         pi N m h                                              -> 2 (2 x + 2) d + 2 pi N m h d
///
/// The roundings of pi N and of h are the same in the values and in the formula, as is the sine along axes without a
/// derivative. These roundings do not count.
///
/// Source: N. J. Higham, "Accuracy and Stability of Numerical Algorithms", 2nd ed., SIAM 2002, sections 2.2 and 3.1,
/// to first order.
template <class Real>
double rounding_bound(const Settings& s, Operator operation) {
    constexpr double r = std::numeric_limits<Real>::epsilon() / 2;
    constexpr double d = std::numeric_limits<double>::epsilon() / 2;
    const auto m = static_cast<double>(s.order) / 2;
    double bound = 0;
    for (std::size_t axis = 0; axis < 3; ++axis) {
        if (!stencil::has_axis(operation, static_cast<int>(axis) + 1)) continue;
        const double h = s.spacing(axis);
        const double amplification = stencil::is_first(operation)
                                         ? 3 / h  // 2 sum |c_k| is 2 to 2.75
                                         : stencil::second_absolute_sum(static_cast<int>(s.order)) / (h * h);
        const double argument = std::numbers::pi * s.modes[axis] * (1 + m * h);
        const double phases = 2 * (2 * argument + 2) + 2 * std::numbers::pi * s.modes[axis] * m * h;
        bound += amplification * ((m + 7) * r + (2 * m + 26 + phases) * d);
    }
    return bound;
}

}  // namespace

template <class Real>
Field<Real>::Field(const Settings& settings, const Cartesian& cartesian, MPI_Comm communicator)
    : spacings{settings.spacing(0), settings.spacing(1), settings.spacing(2)},
      u(cartesian.owned_points(), {settings.order / 2, settings.order / 2, settings.order / 2}, 0),
      result(cartesian.owned_points(), u.halo(), 1),
      exchange(cartesian, u, u.halo(), communicator) {
    std::array<std::vector<double>, 3> sines;
    const Index halo = settings.order / 2;
    for (std::size_t axis = 0; axis < 3; ++axis) {
        const Region& owned = cartesian.owned();
        sines[axis] = wave(settings, axis, owned.lo[axis] - halo, owned.hi[axis] + halo, sine);
        const auto forget = [](const auto& begin, Index count) { std::fill_n(begin, count, 0.0); };
        if (cartesian.neighbour(axis, Side::low) >= 0) forget(sines[axis].begin(), halo);
        if (cartesian.neighbour(axis, Side::high) >= 0) forget(sines[axis].rbegin(), halo);
    }
    u.fill([&](Index i1, Index i2, Index i3) {
        const auto at = [&](std::size_t axis, Index i) { return sines[axis][static_cast<std::size_t>(i + halo)]; };
        return settings.amplitude * at(0, i1) * at(1, i2) * at(2, i3);
    });
    result.fill([](Index, Index, Index) { return 0; });
}

template <class Real>
Deviation verify(const Settings& settings, const Cartesian& cartesian, const Field<Real>& field, Operator operation,
                 MPI_Comm communicator) {
    const Factors factor = factors(settings, operation);
    const double analytic = factor.analytic;
    const double formula = factor.formula;
    std::array<std::vector<double>, 3> waves;
    for (std::size_t axis = 0; axis < 3; ++axis) {
        waves[axis] = result_wave(settings, operation, axis, cartesian.owned().lo[axis], cartesian.owned().hi[axis]);
    }
    const Index3& n = field.result.inner();
    const double* along = waves[0].data();
    double difference = 0;
    double magnitude = 0;
    double gap = 0;
#pragma omp parallel for schedule(static) reduction(+ : difference, magnitude) reduction(max : gap)
    for (Index i3 = 0; i3 < n[2]; ++i3) {
        for (Index i2 = 0; i2 < n[1]; ++i2) {
            const Real* row = field.result.row(i2, i3);
            const double across =
                settings.amplitude * waves[1][static_cast<std::size_t>(i2)] * waves[2][static_cast<std::size_t>(i3)];
            for (Index i = 0; i < n[0]; ++i) {
                const auto value = static_cast<double>(row[i]);
                difference += std::abs(value - across * along[i] * analytic);
                magnitude += std::abs(across * along[i] * analytic);
                gap = greater(gap, value - across * along[i] * formula);
            }
        }
    }
    std::array<double, 2> sums{difference, magnitude};
    gap = std::isfinite(gap) ? gap : std::numeric_limits<double>::max();
    MPI_Allreduce(MPI_IN_PLACE, sums.data(), 2, MPI_DOUBLE, MPI_SUM, communicator);
    MPI_Allreduce(MPI_IN_PLACE, &gap, 1, MPI_DOUBLE, MPI_MAX, communicator);

    Deviation deviation;
    deviation.whole = std::abs(sums[1] / whole_magnitude(settings, operation, analytic) - 1) < lost_share;
    deviation.error = sums[0] / sums[1];
    deviation.predicted = std::abs(formula / analytic - 1);
    deviation.gap = gap / std::abs(settings.amplitude * analytic);
    const double rounding = rounding_bound<Real>(settings, operation);
    deviation.gap_allowed = rounding / std::abs(analytic);
    // Without rounding, the error equals the predicted error, because each point has the same share of both sums. The
    // gap is relative to the largest value, the error to the mean value.
    const auto points = static_cast<double>(settings.all_points());
    const double mean = sums[1] / points;
    deviation.error_allowed = lost_share * deviation.predicted + settings.amplitude * rounding / mean;
    return deviation;
}

std::string Deviation::failure() const {
    if (!whole) return "points of some ranks or threads are missing from the sums of the check";
    if (!(gap <= gap_allowed)) {
        return text("the result is %.3g off the formula's, and rounding allows %.3g", gap, gap_allowed);
    }
    if (!(std::abs(error - predicted) <= error_allowed)) {
        return text("the error is %.6g, and by theory it is %.6g", error, predicted);
    }
    return "";
}

template struct Field<float>;
template struct Field<double>;
template Deviation verify(const Settings&, const Cartesian&, const Field<float>&, Operator, MPI_Comm);
template Deviation verify(const Settings&, const Cartesian&, const Field<double>&, Operator, MPI_Comm);

}  // namespace waywiser::fd
