#include "workloads/tbl/truth.hpp"

#include "workloads/common/greatest.hpp"
#include "workloads/tbl/blasius.hpp"
#include "workloads/tbl/start.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <vector>

namespace waywiser::tbl {
namespace {

constexpr double pi = std::numbers::pi;

/// Amplification of a mode by a step of Crank-Nicolson; `rate` is the mode's eigenvalue of the viscous difference.
double factor(double rate, const Settings& s) {
    double product = 1;
    for (const Pass& pass : passes(s.scheme)) {
        const double half = pass.interval * s.dt / 2 * rate;
        product *= (1 + half) / (1 - half);
    }
    return product;
}

/// Amplification of a mode by the Runge-Kutta passes, whose explicit terms multiply the mode by `rate`.
double explicit_factor(double rate, const Settings& s) {
    double now = 1;
    double before = 0;
    for (const Pass& pass : passes(s.scheme)) {
        const double next = now + s.dt * rate * (pass.now * now + pass.before * before);
        before = now;
        now = next;
    }
    return now;
}

/// Velocity by row of a flow that depends only on the distance from the walls. The flow is a sum of sines, each an
/// eigenvector of the difference above a no-slip wall. The upper wall is a no-slip or a slip wall.
std::vector<double> between_walls(const Settings& s, const Domain& domain) {
    const Index n = domain.points(1);
    const double h = s.lengths[1] / static_cast<double>(n);
    const double below = domain.bottom.velocity;
    const double force = s.drive == "gradient" ? gradient_force(s) : 0;
    std::vector<double> rows(static_cast<std::size_t>(n), below);
    for (Index m = 1; m <= n; ++m) {
        const double angle = pi * (static_cast<double>(m) - (domain.top.slip ? 0.5 : 0)) / static_cast<double>(n);
        const auto sine = [&](Index j) { return std::sin(angle * (static_cast<double>(j) + 0.5)); };
        double squared = 0;
        double at_start = 0;
        double of_force = 0;
        for (Index j = 0; j < n; ++j) {
            squared += sine(j) * sine(j);
            at_start += sine(j) * (laminar_start(s, domain.wall_grid.centre(j)) - below);
            of_force += sine(j) * force;
        }
        const double rate = -s.viscosity() * std::pow(2 * std::sin(angle / 2) / h, 2);
        const double settled = -of_force / rate;
        const double now = settled + (at_start - settled) * std::pow(factor(rate, s), static_cast<double>(s.steps));
        for (Index j = 0; j < n; ++j) rows[static_cast<std::size_t>(j)] += now / squared * sine(j);
    }
    return rows;
}

/// Amplitude left of Taylor-Green vortices, which keep their shape on this grid: their convection is a discrete
/// gradient.
double vortices_left(const Settings& s, const Domain& domain) {
    double product = 1;
    double sum = 0;
    for (const std::size_t axis : along_walls) {
        const double h = domain.spacing(axis);
        const double rate = -s.viscosity() * std::pow(2 * std::sin(pi * h / s.lengths[axis]) / h, 2);
        product *= 1 - s.dt / 2 * rate;
        sum += rate;
    }
    const double of_step = s.scheme == Scheme::rk3 ? explicit_factor(sum, s) : 1 + s.dt * sum / product;
    return std::pow(of_step, static_cast<double>(s.steps));
}

}  // namespace

bool has_truth(const Settings& s) {
    if (s.case_name == "taylor-green")
        return s.perturbation == 0 && s.drive == "none" && s.lengths[0] == s.lengths[2] && s.points[0] == s.points[2];
    const bool laminar = s.case_name == "poiseuille" || s.case_name == "temporal";
    return laminar && s.perturbation == 0 && s.stretching == 0 && s.drive != "bulk" && !s.inviscid;
}

double greatest_error(const Settings& s, const Flow& flow) {
    const Domain& domain = flow.domain;
    const Index3 n = domain.owned();
    const bool vortices = s.case_name == "taylor-green";
    const std::vector<double> rows = vortices ? std::vector<double>{} : between_walls(s, domain);
    Flow exact(domain);
    if (vortices) start(s, exact);
    const double left = vortices ? vortices_left(s, domain) : 0;
    double greatest = 0;
    for (std::size_t c = 0; c < 3; ++c) {
        for (Index k = 0; k < n[2]; ++k) {
            for (Index j = 0; j < n[1]; ++j) {
                const double of_row = vortices || c != 0 ? 0 : rows[static_cast<std::size_t>(domain.first(1) + j)];
                for (Index i = 0; i < n[0]; ++i) {
                    const double expected = of_row + left * exact.velocity[c].at(i, j, k);
                    greatest = greater(greatest, flow.velocity[c].at(i, j, k) - expected);
                }
            }
        }
    }
    MPI_Allreduce(MPI_IN_PLACE, &greatest, 1, MPI_DOUBLE, MPI_MAX, domain.communicator);
    return greatest;
}

std::optional<double> laminar_error(const Settings& s, const Flow& flow) {
    const Domain& domain = flow.domain;
    const Blasius layer(s.reynolds);
    const double end = domain.lengths[0] - 2 * domain.lengths[1];
    const auto cells = static_cast<Index>(end / domain.spacing(0));
    if (end < domain.spacing(0)) return {};
    double greatest = 0;
    const Index3 n = domain.owned();
    for (Index j = 0; j < n[1]; ++j) {
        const double y = domain.wall_grid.centre(domain.first(1) + j);
        for (Index i = 0; i < cells; ++i) {
            const double expected = layer.along(domain.spacing(0) * static_cast<double>(i + 1), y);
            for (Index k = 0; k < n[2]; ++k) greatest = greater(greatest, flow.velocity[0].at(i, j, k) - expected);
        }
    }
    MPI_Allreduce(MPI_IN_PLACE, &greatest, 1, MPI_DOUBLE, MPI_MAX, domain.communicator);
    return greatest;
}

}  // namespace waywiser::tbl
