#include "workloads/npb/operator.hpp"

#include "workloads/npb/kernels.hpp"
#include "workloads/npb/physics.hpp"

namespace waywiser::npb {
namespace {

/// A point of a line, with the values for differences along the line.
struct Along {
    Along(const Vector5& u, std::size_t axis) : flow(u), normal(flow.velocity[axis]) {
        for (std::size_t m = 0; m < 5; ++m) flux[m] = u[m] * normal;
        flux[1 + axis] += flow.pressure;
        flux[4] += flow.pressure * normal;
    }

    Flow<> flow;
    double normal;  ///< velocity along the line
    Vector5 flux;
};

double second_difference(double before, double here, double after) { return before - 2 * here + after; }

/// Adds friction and heat conduction. The factors contain c3, c4 and c5 of the NAS report.
void add_viscous(const Along& before, const Along& here, const Along& after, double second, std::size_t axis,
                 Vector5& result) {
    const double factor = viscosity * second;
    const auto difference = [&](auto value) { return second_difference(value(before), value(here), value(after)); };
    for (std::size_t b = 0; b < 3; ++b) {
        const double velocity = difference([b](const Along& point) { return point.flow.velocity[b]; });
        result[1 + b] += factor * (b == axis ? normal_viscosity : 1) * velocity;
    }
    const double kinetic = difference([](const Along& point) { return point.flow.kinetic; });
    const double normal = difference([](const Along& point) { return point.normal * point.normal; });
    const double energy = difference([](const Along& point) { return point.flow.energy; });
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
        const Vector5 u[5] = {line.u_at(i - 2), line.u_at(i - 1), line.u_at(i), line.u_at(i + 1), line.u_at(i + 2)};
        Vector5 result = line.rhs_at(i);
        for (std::size_t m = 0; m < 5; ++m) {
            double dissipated = 0;
            for (std::size_t n = 0; n < 5; ++n) dissipated += fourth[n] * u[n][m];
            result[m] += diffused * second_difference(u[1][m], u[2][m], u[3][m]) -
                         differences.first * (after.flux[m] - before.flux[m]) - dissipation * dissipated;
        }
        add_viscous(before, here, after, differences.second, line.axis, result);
        line.set_rhs(i, result);
        before = here;
        here = after;
    }
}

}  // namespace

void add_operator(const Cartesian& cartesian, const Region& region, const Field& u, Field& result) {
    for (std::size_t axis = 0; axis < 3; ++axis) {
        Region starts = region;
        starts.hi[axis] = std::min(starts.lo[axis] + 1, starts.hi[axis]);
        each_point(starts, [&](const Index3& p) {
            Line line = line_through(cartesian, axis, p, u, result);
            line.lo = region.lo[axis];
            line.hi = region.hi[axis];
            add_along(line);
        });
    }
}

void evaluate_by_points(const Cartesian& cartesian, const Region& region, const Field& u, const Field& forcing,
                        double factor, Field& rhs) {
    each_point(region, [&](const Index3& p) { rhs.set(p, forcing.get(p)); });
    add_operator(cartesian, region, u, rhs);
    each_point(region, [&](const Index3& p) {
        Vector5 r = rhs.get(p);
        for (double& value : r) value *= factor;
        rhs.set(p, r);
    });
}

void evaluate_by_registers(const Cartesian& cartesian, const Region& region, const Field& u, const Field& forcing,
                           double factor, Field& rhs) {
    Array<double> scratch(static_cast<std::size_t>(operator_scratch(cartesian.owned_points()[0])));
    kernels().evaluate({.u = &u,
                        .forcing = &forcing,
                        .rhs = &rhs,
                        .region = region,
                        .first = cartesian.owned().lo,
                        .points = cartesian.points(),
                        .factor = factor,
                        .scratch = scratch.data()});
}

}  // namespace waywiser::npb
