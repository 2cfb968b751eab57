#include "workloads/npb/norms.hpp"

#include "workloads/npb/exact.hpp"

namespace waywiser::npb {
namespace {

void add_up(std::span<double> values, MPI_Comm communicator) {
    MPI_Allreduce(MPI_IN_PLACE, values.data(), static_cast<int>(values.size()), MPI_DOUBLE, MPI_SUM, communicator);
}

/// \param value  of the unknowns at a point
template <class Value>
Vector5 root_mean_square(const Problem& problem, Value value) {
    Vector5 sums{};
    each_point(inner_points(problem.cartesian), [&](const Index3& p) {
        const Vector5 here = value(p);
        for (std::size_t m = 0; m < 5; ++m) sums[m] += here[m] * here[m];
    });
    add_up(sums, problem.communicator);
    double points = 1;
    for (const Index n : problem.cartesian.points()) points *= static_cast<double>(n - 2);
    for (double& sum : sums) sum = std::sqrt(sum / points);
    return sums;
}

/// The box in the whole grid: one point from the faces, on axis 2 two from the upper one, on axis 3 two from the lower.
Region integrated_box(const Index3& points) { return {{1, 1, 2}, {points[0] - 1, points[1] - 2, points[2] - 1}}; }

/// Of a point in the trapezoid rule over a face of the box normal to `axis`: quarters of cells; 0 off that face.
double weight(const Region& box, const Index3& at, std::size_t axis) {
    double cells = at[axis] == box.lo[axis] || at[axis] == box.hi[axis] - 1 ? 1 : 0;
    for (std::size_t other = 0; other < 3; ++other) {
        if (other == axis) continue;
        if (at[other] < box.lo[other] || at[other] >= box.hi[other]) return 0;
        const bool edge = at[other] == box.lo[other] || at[other] == box.hi[other] - 1;
        cells *= edge ? 1 : 2;
    }
    return cells;
}

double surface_integral(const Problem& problem) {
    const Cartesian& cartesian = problem.cartesian;
    const Region box = integrated_box(cartesian.points());
    double sum = 0;
    each_point(own_points(cartesian), [&](const Index3& p) {
        Index3 at = p;
        for (std::size_t axis = 0; axis < 3; ++axis) at[axis] += cartesian.owned().lo[axis];
        const double cells = weight(box, at, 0) + weight(box, at, 1) + weight(box, at, 2);
        if (cells > 0) sum += cells * Flow(problem.u.get(p)).pressure;
    });
    add_up({&sum, 1}, problem.communicator);
    return 0.25 * sum / Differences(cartesian.points()[0]).second;
}

}  // namespace

Norms norms_of(Problem& problem, bool with_surface) {
    problem.evaluate(1);
    Field exact(problem.cartesian.owned_points());
    fill_exact(problem.cartesian, exact);
    Norms norms{};
    norms.residual = root_mean_square(problem, [&](const Index3& p) { return problem.rhs.get(p); });
    norms.error = root_mean_square(problem, [&](const Index3& p) {
        Vector5 difference = problem.u.get(p);
        const Vector5 expected = exact.get(p);
        for (std::size_t m = 0; m < 5; ++m) difference[m] -= expected[m];
        return difference;
    });
    if (with_surface) norms.surface = surface_integral(problem);
    return norms;
}

}  // namespace waywiser::npb
