#include "workloads/propa/check.hpp"

#include "base/error.hpp"
#include "workloads/common/greatest.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <limits>
#include <numbers>
#include <type_traits>

namespace waywiser::propa {
namespace {

/// Bound of the relative rounding error of a sum. A lost row of 1000^3 points is ten times as much.
constexpr double lost_share = 1e-7;

/// Inner points at least `reached` points away from the surface, which has not influenced them without boundary
/// condition.
Region checked_points(const Cartesian& cartesian, Index reached) {
    Region box;
    for (std::size_t axis = 0; axis < 3; ++axis) {
        const Index low = cartesian.owned().lo[axis];
        const Index n = cartesian.owned_points()[axis];
        box.lo[axis] = std::clamp<Index>(reached - low, 0, n);
        box.hi[axis] = std::clamp<Index>(cartesian.points()[axis] - reached - low, 0, n);
    }
    return box;
}

/// Sum of |space factor| over the points that no surface has reached. The sum is a product of sums along the axes,
/// which every rank can compute.
double whole_space(const stencil::Eigenmode& mode, Index reached) {
    double product = 1;
    for (std::size_t axis = 0; axis < 3; ++axis) {
        double sum = 0;
        for (Index i = reached; i < mode.points[axis] - reached; ++i) {
            sum +=
                std::abs(std::sin(std::numbers::pi * mode.modes[axis] * static_cast<double>(i) * mode.spacing(axis)));
        }
        product *= sum;
    }
    return product;
}

/// An upper bound of the effect of the sines' rounding errors on the difference between the field of `step` and the
/// discrete solution.
///
/// The argument ((pi N) i) h of a sine has two roundings, of d = epsilon / 2 each relative to pi N, and the sine itself
/// has another two. The initial fields therefore differ from the eigenmode by e = sum over the axes of (2 pi N + 2) d,
/// in waves of any length. Leapfrog multiplies an error of the preceding field by at most n + 1 in n steps. This
/// follows from its recurrence, u(n+1) = 2 cos(a) u(n) - u(n-1). The solution is u(0) sin((n+1) a) / sin(a) - u(-1)
/// sin(n a) / sin(a). The field of step -1 has an error of amplitude(-1) e, and n = step + 1 steps follow. The field of
/// step -2 has an error of amplitude(-2) e.
double rounding_of_start(const stencil::Eigenmode& mode, Index step) {
    constexpr double d = std::numeric_limits<double>::epsilon() / 2;
    double sines = 0;
    for (const double number : mode.modes) sines += (2 * std::numbers::pi * number + 2) * d;
    const auto steps = static_cast<double>(step + 1);
    return sines * ((steps + 1) * std::abs(mode.amplitude(-1)) + steps * std::abs(mode.amplitude(-2)));
}

struct Sums {
    double difference = 0;  ///< sum |computed - analytic|
    double space = 0;       ///< sum |space factor|
    double gap = 0;         ///< max |computed - discrete|
};

template <class Real>
Sums compare(const Waves<Real>& waves, const Region& box, double analytic, double discrete) {
    double difference = 0;
    double sum = 0;
    double gap = 0;
    const double* along = waves.sines[0].data();
#pragma omp parallel for schedule(static) reduction(+ : difference, sum) reduction(max : gap)
    for (Index i3 = box.lo[2]; i3 < box.hi[2]; ++i3) {
        for (Index i2 = box.lo[1]; i2 < box.hi[1]; ++i2) {
            const Real* row = waves.current.row(i2, i3);
            const double across =
                waves.sines[1][static_cast<std::size_t>(i2)] * waves.sines[2][static_cast<std::size_t>(i3)];
            for (Index i = box.lo[0]; i < box.hi[0]; ++i) {
                const double space = across * along[i];
                const auto value = static_cast<double>(row[i]);
                difference += std::abs(value - space * analytic);
                sum += std::abs(space);
                // std::max would ignore NaN.
                gap = greater(gap, value - space * discrete);
            }
        }
    }
    return {difference, sum, gap};
}

}  // namespace

template <class Real>
void Checks::check(const Waves<Real>& waves, const Cartesian& cartesian, bool mirrored, Index step, bool counted,
                   MPI_Comm communicator) {
    const double analytic = waves.mode.amplitude(step);
    const double discrete = waves.mode.discrete_amplitudes(step + 1).back();
    const Index reached = mirrored ? 0 : waves.mode.order / 2 * (step + 1);
    const Sums mine = compare(waves, checked_points(cartesian, reached), analytic, discrete);
    std::array<double, 2> sums{mine.difference, mine.space};
    double gap = std::isfinite(mine.gap) ? mine.gap : std::numeric_limits<double>::max();
    MPI_Allreduce(MPI_IN_PLACE, sums.data(), 2, MPI_DOUBLE, MPI_SUM, communicator);
    MPI_Allreduce(MPI_IN_PLACE, &gap, 1, MPI_DOUBLE, MPI_MAX, communicator);

    const auto [difference, space] = sums;
    if (counted) {
        difference_ += difference;
        analytic_ += space * std::abs(analytic);
        predicted_difference_ += space * std::abs(discrete - analytic);
        space_ += space;
    }
    checked_ = checked_ && space > 0;
    whole_ = whole_ && std::abs(space / whole_space(waves.mode, reached) - 1) < lost_share;
    gap_ = std::max(gap_, gap);
    // Rounding errors of each step accumulate over all later steps. Measured gaps are at most a fifth of this bound.
    const auto done = static_cast<double>(step + 3);
    gap_allowed_ = 2 * static_cast<double>(std::numeric_limits<Real>::epsilon()) * done * std::sqrt(done);
    gap_allowed_ += rounding_of_start(waves.mode, step);
    error_tolerance_ = std::is_same_v<Real, float> ? 0.03 : 1e-5;
}

std::string Checks::failure() const {
    std::array<char, 256> text{};
    if (!checked_) {
        return "there is no point to check that the surface cannot have reached: fewer steps, more points, or "
               "--boundary mirror";
    }
    if (!whole_) return "points of some ranks or threads are missing from the sums of the check";
    if (!(gap_ <= gap_allowed_)) {
        std::snprintf(text.data(), text.size(), "the field is %.3g off the discrete solution, and rounding allows %.3g",
                      gap_, gap_allowed_);
    } else if (analytic_ > 0 &&
               !(std::abs(error() - predicted()) <= error_allowed())) {  // analytic_ is 0 after one step, at t = 0.
        std::snprintf(text.data(), text.size(), "the error is %.6g, and by theory it is %.6g", error(), predicted());
    }
    return text.data();
}

template void Checks::check(const Waves<float>&, const Cartesian&, bool, Index, bool, MPI_Comm);
template void Checks::check(const Waves<double>&, const Cartesian&, bool, Index, bool, MPI_Comm);

}  // namespace waywiser::propa
