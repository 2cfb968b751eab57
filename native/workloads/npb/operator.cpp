#include "workloads/npb/operator.hpp"

#include "workloads/npb/physics.hpp"

namespace waywiser::npb {
namespace {

/// One point of a line, as differences along it need it.
struct Along {
    Along(const double* u, std::size_t axis) : flow(u), normal(flow.velocity[axis]) {
        for (std::size_t m = 0; m < 5; ++m) flux[m] = u[m] * normal;
        flux[1 + axis] += flow.pressure;
        flux[4] += flow.pressure * normal;
    }

    Flow flow;
    double normal;  ///< velocity along the line
    Vector5 flux;
};

double second_difference(double before, double here, double after) { return before - 2 * here + after; }

/// Friction and conduction of heat; c3, c4 and c5 of the report are in the factors.
void add_viscous(const Along& before, const Along& here, const Along& after, double second, std::size_t axis,
                 double* result) {
    const double factor = viscosity * second;
    const auto difference = [&](auto value) { return second_difference(value(before), value(here), value(after)); };
    for (std::size_t b = 0; b < 3; ++b) {
        const double velocity = difference([b](const Along& one) { return one.flow.velocity[b]; });
        result[1 + b] += factor * (b == axis ? normal_viscosity : 1) * velocity;
    }
    const double kinetic = difference([](const Along& one) { return one.flow.kinetic; });
    const double normal = difference([](const Along& one) { return one.normal * one.normal; });
    const double energy = difference([](const Along& one) { return one.flow.energy; });
    result[4] += factor * ((1 - heat_conduction) * kinetic + normal / 6 + heat_conduction * energy);
}

void add_along(const Line& line) {
    const Differences differences(line.points);
    const double diffused = diffusion[line.axis] * differences.second;
    Along before(line.u_at(line.lo - 1), line.axis);
    Along here(line.u_at(line.lo), line.axis);
    for (Index i = line.lo; i < line.hi; ++i) {
        const Along after(line.u_at(i + 1), line.axis);
        const Vector5 fourth = fourth_difference(line.first + i, line.points);
        const double* u = line.u_at(i);
        double* result = line.rhs_at(i);
        const Index s = line.stride;
        for (Index m = 0; m < 5; ++m) {
            const auto n = static_cast<std::size_t>(m);
            const double dissipated = fourth[0] * u[m - 2 * s] + fourth[1] * u[m - s] + fourth[2] * u[m] +
                                      fourth[3] * u[m + s] + fourth[4] * u[m + 2 * s];
            result[m] += diffused * second_difference(u[m - s], u[m], u[m + s]) -
                         differences.first * (after.flux[n] - before.flux[n]) - dissipation * dissipated;
        }
        add_viscous(before, here, after, differences.second, line.axis, result);
        before = here;
        here = after;
    }
}

}  // namespace

void add_operator(const Cartesian& cartesian, const Field& u, Field& result) {
    for (std::size_t axis = 0; axis < 3; ++axis) {
        Region starts = inner_points(cartesian);
        starts.lo[axis] = 0;
        starts.hi[axis] = 1;
        each_point(starts, [&](const Index3& p) { add_along(line_through(cartesian, axis, p, u, result)); });
    }
}

}  // namespace waywiser::npb
