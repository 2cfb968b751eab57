#include "workloads/minife/coarsening.hpp"

#include <cmath>

namespace waywiser::minife {
namespace {

/// K(a) M(b) M(c) + M(a) K(b) M(c) + M(a) M(b) K(c) at the angles with these cosines. The factors are
/// K(t) = 2 (1 - cos t) / h and M(t) = h (2 + cos t) / 3.
double symbol(const Mesh& mesh, const std::array<double, 3>& cosine) {
    std::array<double, 3> k{};
    std::array<double, 3> m{};
    for (std::size_t axis = 0; axis < 3; ++axis) {
        const double h = mesh.spacing(axis);
        k[axis] = 2 * (1 - cosine[axis]) / h;
        m[axis] = h * (2 + cosine[axis]) / 3;
    }
    return k[0] * m[1] * m[2] + m[0] * k[1] * m[2] + m[0] * m[1] * k[2];
}

/// Calls `visit(value)` for the symbol at the corners of a box of cosines: -1 to 1, or to 0 along one axis. It is
/// linear in each of them, so that its least and greatest value in the box are among these.
template <typename Visit>
void for_each_corner(const Mesh& mesh, const std::array<double, 3>& greatest_cosine, Visit visit) {
    for (std::size_t corner = 0; corner < 8; ++corner) {
        std::array<double, 3> cosine{};
        for (std::size_t axis = 0; axis < 3; ++axis) {
            cosine[axis] = (corner >> axis & 1) != 0 ? -1 : greatest_cosine[axis];
        }
        visit(symbol(mesh, cosine));
    }
}

}  // namespace

Axes axes_to_halve(const Mesh& mesh) {
    const Index most = std::ranges::max(mesh.elements);
    Axes axes{};
    for (std::size_t axis = 0; axis < 3; ++axis) {
        const Index n = mesh.elements[axis];
        axes[axis] = n % 2 == 0 && n >= 4 && 3 * n > 2 * most;
    }
    return axes;
}

Mesh halved(const Mesh& mesh, const Axes& axes) {
    Mesh result = mesh;
    for (std::size_t axis = 0; axis < 3; ++axis) {
        if (axes[axis]) result.elements[axis] /= 2;
    }
    return result;
}

// Modes that the halved mesh cannot represent have an angle of pi/2 or more along at least one of the halved axes.
Band band_to_smooth(const Mesh& mesh, const Axes& axes) {
    double greatest = 0;
    for_each_corner(mesh, {1, 1, 1}, [&](double value) { greatest = std::max(greatest, value); });
    Band band{greatest, greatest};
    for (std::size_t axis = 0; axis < 3; ++axis) {
        if (!axes[axis]) continue;
        std::array<double, 3> greatest_cosine{1, 1, 1};
        greatest_cosine[axis] = 0;
        for_each_corner(mesh, greatest_cosine, [&](double value) { band.least = std::min(band.least, value); });
    }
    return band;
}

// k steps leave 1 / T_k((greatest + least) / (greatest - least)), T_k(s) = cosh(k arcosh s).
Index smoothing_steps(const Band& band) {
    constexpr double reduction = 6;
    const double s = (band.greatest + band.least) / (band.greatest - band.least);
    return static_cast<Index>(std::ceil(std::acosh(reduction) / std::acosh(s)));
}

}  // namespace waywiser::minife
