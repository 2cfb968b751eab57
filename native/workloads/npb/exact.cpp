#include "workloads/npb/exact.hpp"

namespace waywiser::npb {
namespace {

/// Coefficients of each unknown: the constant, then the coefficients of x, y, z, of their squares, cubes and fourth
/// powers.
constexpr double coefficients[5][13] = {
    {2, 0, 0, 4, 5, 3, .5, .02, .01, .03, .5, .4, .3},   {1, 0, 0, 0, 1, 2, 3, .01, .03, .02, .4, .3, .5},
    {2, 2, 0, 0, 0, 2, 3, .04, .03, .05, .3, .5, .4},    {2, 2, 0, 0, 0, 2, 3, .03, .05, .04, .2, .1, .3},
    {5, 4, 3, 2, .1, .4, .3, .05, .04, .03, .1, .3, .2},
};

std::array<double, 3> place_of(const Cartesian& cartesian, const Index3& point) {
    std::array<double, 3> place{};
    for (std::size_t axis = 0; axis < 3; ++axis) {
        const Index at = cartesian.owned().lo[axis] + point[axis];
        place[axis] = static_cast<double>(at) / static_cast<double>(cartesian.points()[axis] - 1);
    }
    return place;
}

bool in_cube(const Cartesian& cartesian, const Index3& point) {
    for (std::size_t axis = 0; axis < 3; ++axis) {
        const Index at = cartesian.owned().lo[axis] + point[axis];
        if (at < 0 || at >= cartesian.points()[axis]) return false;
    }
    return true;
}

/// Interpolates linearly along an axis between the faces of the cube.
Vector5 between_faces(std::array<double, 3> place, std::size_t axis) {
    const double at = place[axis];
    place[axis] = 0;
    const Vector5 low = exact_solution(place);
    place[axis] = 1;
    const Vector5 high = exact_solution(place);
    Vector5 between{};
    for (std::size_t m = 0; m < 5; ++m) between[m] = (1 - at) * low[m] + at * high[m];
    return between;
}

/// Boolean sum of the three interpolations. As in the NAS report, a product of interpolations is a product of their
/// values.
Vector5 interpolated(const std::array<double, 3>& place) {
    const Vector5 x = between_faces(place, 0);
    const Vector5 y = between_faces(place, 1);
    const Vector5 z = between_faces(place, 2);
    Vector5 sum{};
    for (std::size_t m = 0; m < 5; ++m) {
        sum[m] = x[m] + y[m] + z[m] - x[m] * y[m] - x[m] * z[m] - y[m] * z[m] + x[m] * y[m] * z[m];
    }
    return sum;
}

}  // namespace

Vector5 exact_solution(const std::array<double, 3>& place) {
    Vector5 value{};
    for (std::size_t m = 0; m < 5; ++m) {
        const double* c = coefficients[m];
        value[m] = c[0];
        for (std::size_t axis = 0; axis < 3; ++axis) {
            const double x = place[axis];
            value[m] += x * (c[1 + axis] + x * (c[4 + axis] + x * (c[7 + axis] + x * c[10 + axis])));
        }
    }
    return value;
}

void fill_exact(const Cartesian& cartesian, Field& field) {
    Region all = own_points(cartesian);
    for (std::size_t axis = 0; axis < 3; ++axis) {
        all.lo[axis] -= Field::halo;
        all.hi[axis] += Field::halo;
    }
    each_point(all, [&](const Index3& p) {
        if (in_cube(cartesian, p)) field.set(p, exact_solution(place_of(cartesian, p)));
    });
}

void fill_initial(const Cartesian& cartesian, Field& field) {
    each_point(own_points(cartesian), [&](const Index3& p) { field.set(p, exact_solution(place_of(cartesian, p))); });
    each_point(inner_points(cartesian), [&](const Index3& p) { field.set(p, interpolated(place_of(cartesian, p))); });
}

}  // namespace waywiser::npb
