#include "workloads/npb/norms.hpp"

#include "workloads/npb/exact.hpp"

namespace waywiser::npb {
namespace {

void add_up(std::span<double> values, MPI_Comm communicator) {
    MPI_Allreduce(MPI_IN_PLACE, values.data(), static_cast<int>(values.size()), MPI_DOUBLE, MPI_SUM, communicator);
}

void add_squares(const Vector5& values, Vector5& sums) {
    for (std::size_t m = 0; m < 5; ++m) sums[m] += values[m] * values[m];
}

/// The root mean square from the sums of squares over a rank's inner points.
Vector5 root_mean_square(const Problem& problem, Vector5 sums) {
    add_up(sums, problem.communicator);
    const auto inner = static_cast<double>(problem.points() - 2);
    for (double& sum : sums) sum = std::sqrt(sum / (inner * inner * inner));
    return sums;
}

/// Box of the integral in the whole grid. It lies one point inside the faces of the cube, but two points inside the
/// upper face of axis 2 and the lower face of axis 3.
Region integrated_box(const Index3& points) { return {{1, 1, 2}, {points[0] - 1, points[1] - 2, points[2] - 1}}; }

/// Weight of a point in the trapezoid rule over the faces of the box normal to `axis`, in quarters of a cell; 0 off
/// these faces.
double weight(const Region& box, const Index3& at, std::size_t axis) {
    double cells = at[axis] == box.lo[axis] || at[axis] == box.hi[axis] - 1 ? 1 : 0;
    for (std::size_t across = 0; across < 3; ++across) {
        if (across == axis) continue;
        if (at[across] < box.lo[across] || at[across] >= box.hi[across]) return 0;
        const bool edge = at[across] == box.lo[across] || at[across] == box.hi[across] - 1;
        cells *= edge ? 1 : 2;
    }
    return cells;
}

double surface_integral(const Problem& problem) {
    const Cell& cell = problem.cells.front();
    const Cartesian& cartesian = cell.cartesian;
    const Region box = integrated_box(cartesian.points());
    std::array<double, 3> sums{};  // over the two faces normal to each axis
    each_point(own_points(cartesian), [&](const Index3& p) {
        Index3 at = p;
        for (std::size_t axis = 0; axis < 3; ++axis) at[axis] += cartesian.owned().lo[axis];
        for (std::size_t axis = 0; axis < 3; ++axis) {
            const double cells = weight(box, at, axis);
            if (cells > 0) sums[axis] += cells * Flow(cell.u.get(p)).pressure;
        }
    });
    for (double& sum : sums) add_up({&sum, 1}, problem.communicator);  // one reduction per axis, as in NPB
    return 0.25 * (sums[0] + sums[1] + sums[2]) / Differences(problem.points()).second;
}

/// Sends `values` unused values to the preceding rank on an axis, and receives as many from the following rank.
void pass_on(const Problem& problem, std::size_t axis, Index values) {
    constexpr int tag = 4;
    std::vector<double> sent(static_cast<std::size_t>(values));
    std::vector<double> received(sent.size());
    MPI_Request request = MPI_REQUEST_NULL;
    const auto [low, high] = problem.partition.neighbour[axis];
    const auto count = static_cast<int>(values);
    if (high >= 0) {
        MPI_Irecv(received.data(), count, MPI_DOUBLE, high, tag, problem.communicator, &request);
    }
    if (low >= 0) MPI_Send(sent.data(), count, MPI_DOUBLE, low, tag, problem.communicator);
    if (high >= 0) MPI_Wait(&request, MPI_STATUS_IGNORE);
}

/// Sends the messages of NPB's integral, which sums over cells of four points. Here each rank weights its own points,
/// so that the data are not used. NPB sends two rows of pressures for the faces normal to axis 3, and a row for each
/// other face that a rank has.
void pass_pressures_on(const Problem& problem) {
    const Cartesian& box = problem.cells.front().cartesian;
    const Index3 owned = box.owned_points();
    pass_on(problem, 0, 2 * (owned[1] + 2));
    pass_on(problem, 1, 2 * owned[0]);
    for (const std::size_t axis : {std::size_t{0}, std::size_t{1}}) {
        const std::size_t normal = 1 - axis;
        if (box.place()[normal] == 0) pass_on(problem, axis, owned[2]);
        if (box.place()[normal] == box.ranks()[normal] - 1) pass_on(problem, axis, owned[2]);
    }
}

}  // namespace

Vector5 residual_norm(const Problem& problem) {
    Vector5 squares{};
    for (const Cell& cell : problem.cells) {
        each_point(inner_points(cell.cartesian), [&](const Index3& p) { add_squares(cell.rhs.get(p), squares); });
    }
    return root_mean_square(problem, squares);
}

Norms norms_of(Problem& problem, bool with_surface) {
    problem.evaluate(1);
    Vector5 error{};
    for (const Cell& cell : problem.cells) {
        Field exact(cell.cartesian.owned_points());
        fill_exact(cell.cartesian, exact);
        each_point(inner_points(cell.cartesian), [&](const Index3& p) {
            Vector5 difference = cell.u.get(p);
            const Vector5 expected = exact.get(p);
            for (std::size_t m = 0; m < 5; ++m) difference[m] -= expected[m];
            add_squares(difference, error);
        });
    }
    Norms norms{};
    norms.residual = residual_norm(problem);
    norms.error = root_mean_square(problem, error);
    if (with_surface) {
        norms.surface = surface_integral(problem);
        if (problem.partition.as_npb) pass_pressures_on(problem);
    }
    return norms;
}

}  // namespace waywiser::npb
