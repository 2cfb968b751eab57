#include "workloads/tbl/budget.hpp"

#include "workloads/common/clones.hpp"
#include "workloads/common/greatest.hpp"

#include <cmath>
#include <span>

namespace waywiser::tbl {
namespace {

struct Power {
    double sum = 0;
    double absolute = 0;

    void add(double term) {
        sum += term;
        absolute += std::abs(term);
    }
};

double volume_of(const Domain& domain) { return domain.lengths[0] * domain.lengths[1] * domain.lengths[2]; }

void sum_over_ranks(std::span<double> values, const Domain& domain) {
    MPI_Allreduce(MPI_IN_PLACE, values.data(), static_cast<int>(values.size()), MPI_DOUBLE, MPI_SUM,
                  domain.communicator);
}

/// Calls `body(component, j, k)` for each row of velocities that satisfy the momentum equation: all but v on the top
/// wall.
template <class Body>
void each_velocity_row(const Domain& domain, Body body) {
    const Index3 n = domain.owned();
    for (std::size_t c = 0; c < 3; ++c) {
        const Index rows = n[1] - (c == 1 && domain.at_top() ? 1 : 0);
        for (Index k = 0; k < n[2]; ++k) {
            for (Index j = 0; j < rows; ++j) body(c, j, k);
        }
    }
}

/// Sums rate times volume times `factor(component, velocity)` over the rank's velocities. The rates are those of the
/// terms that `keep` retains, computed by the same loop as in a step.
template <class Keep, class Factor>
Power sum_of(const Flow& flow, Keep keep, Factor factor) {
    const Index n = flow.domain.owned()[0];
    std::vector<double> convection(static_cast<std::size_t>(n));
    std::vector<double> rate(static_cast<std::size_t>(n));
    Power power;
    each_velocity_row(flow.domain, [&](std::size_t c, Index j, Index k) {
        const Terms terms = keep(terms_of(flow.domain, c, flow.domain.first(1) + j));
        const Place place = place_of(flow, c, j, k);
        const Index unknowns = flow.domain.unknowns(c);
        momentum_row(place, terms, {1, 1, 0}, unknowns, convection.data(), rate.data());
        const double volume = flow.domain.volume(c, j);
        for (Index i = 0; i < unknowns; ++i) {
            power.add(volume * factor(c, place.own[i]) * rate[static_cast<std::size_t>(i)]);
        }
    });
    return power;
}

template <class Keep>
Power power_of(const Flow& flow, Keep keep) {
    return sum_of(flow, keep, [](std::size_t, double velocity) { return velocity; });
}

Terms convection_alone(const Terms& all) { return {.before = all.before, .behind = all.behind, .low = {}, .high = {}}; }
Terms viscosity_alone(const Terms& all) { return {.before = {}, .behind = {}, .low = all.low, .high = all.high}; }
Terms pressure_alone(const Terms& all) {
    return {.before = {}, .behind = {}, .low = {}, .high = {}, .pressure = all.pressure};
}

/// Contributions through the boundary of a flow with open ends: power, and force along axis 1.
struct Surface {
    double convection = 0, pressure = 0, viscosity = 0;  ///< powers; shear on walls is part of the wall power
    double force = 0;
};

/// Calls `body(component, j, k, i, axis, side)` for each velocity whose neighbour on that side is prescribed.
template <class Body>
void each_end(const Domain& domain, Body body) {
    const Index3 n = domain.owned();
    each_velocity_row(domain, [&](std::size_t c, Index j, Index k) {
        const Index last = domain.unknowns(c) - 1;
        body(c, j, k, 0, 0, Side::low);
        body(c, j, k, last, 0, Side::high);
        const bool lowest = domain.at_bottom() && j == 0;
        const bool highest = domain.at_top() && j + (c == 1 ? 2 : 1) == n[1];
        for (Index i = 0; lowest && i <= last; ++i) body(c, j, k, i, 1, Side::low);
        for (Index i = 0; highest && i <= last; ++i) body(c, j, k, i, 1, Side::high);
    });
}

Surface surface_of(const Flow& flow) {
    Surface sum;
    each_end(flow.domain, [&](std::size_t c, Index j, Index k, Index i, std::size_t axis, Side side) {
        const Terms terms = terms_of(flow.domain, c, flow.domain.first(1) + j);
        const Place place = place_of(flow, c, j, k);
        const double volume = flow.domain.volume(c, j);
        const bool low = side == Side::low;
        const double* const carrying = place.carrying[axis] + i - (low ? place.strides[axis] : 0);
        const double flux = terms.before[axis] * carrying[0] + terms.behind[axis] * carrying[place.own_stride];
        const double own = place.own[i];
        const double beyond = place.own[i + (low ? -place.strides[axis] : place.strides[axis])];
        const double entering = volume * (low ? flux : -flux);
        const double viscous = volume * (low ? terms.low[axis] : terms.high[axis]) * (beyond - own);
        const double pressure =
            volume * terms.pressure * (low ? place.pressure[i] : -place.pressure[i + place.own_stride]);
        sum.convection += entering * own * beyond;
        if (axis == 0 || c == 1) sum.viscosity += viscous * beyond;
        if (axis == c) sum.pressure += pressure * beyond;
        if (c == 0) sum.force += entering * (own + beyond) + viscous + (axis == 0 ? pressure : 0);
    });
    return sum;
}

/// The wall next to row j of a velocity parallel to the wall; null for inner rows and for v.
const Wall* wall_below(const Domain& domain, std::size_t c, Index j) {
    return c != 1 && j == 0 && domain.at_bottom() ? &domain.bottom : nullptr;
}
const Wall* wall_above(const Domain& domain, std::size_t c, Index j) {
    return c != 1 && j + 1 == domain.owned()[1] && domain.at_top() ? &domain.top : nullptr;
}

/// Dissipation and wall power, summed from gradients; each gradient between two velocities counts once.
std::array<double, 2> viscous_powers(const Flow& flow) {
    const Domain& domain = flow.domain;
    const double area = domain.spacing(0) * domain.spacing(2);
    double dissipation = 0;
    double walls = 0;
    const auto at_wall = [&](const Wall& wall, std::size_t c, double next, double size) {
        if (wall.slip) return;
        const double moved = c == 0 ? wall.velocity : 0;
        const double stress = domain.viscosity * (moved - next) / (size / 2);
        dissipation += area * stress * (moved - next);
        walls += area * stress * moved;
    };
    each_velocity_row(domain, [&](std::size_t c, Index j, Index k) {
        const Index row = domain.first(1) + j;
        const double volume = domain.volume(c, j);
        const Field& field = flow.velocity[c];
        const double* q = field.row(j, k);
        const double above = c == 1 ? domain.wall_grid.size(row + 1) : domain.wall_grid.gap(row);
        const Wall* const bottom = wall_below(domain, c, j);
        const Wall* const top = wall_above(domain, c, j);
        const bool first_v = c == 1 && row == 0;
        if (domain.open) {
            const double at_inflow = (q[0] - q[-1]) / domain.spacing(0);
            dissipation += domain.viscosity * volume * at_inflow * at_inflow;
        }
        for (Index i = 0; i < domain.unknowns(c); ++i) {
            const double along_1 = (q[i + 1] - q[i]) / domain.spacing(0);
            const double along_3 = (q[i + field.stride(2)] - q[i]) / domain.spacing(2);
            dissipation += domain.viscosity * volume * (along_1 * along_1 + along_3 * along_3);
            const double step = q[i + field.stride(1)] - q[i];
            if (top == nullptr) dissipation += domain.viscosity * area * step * step / above;
            if (first_v) dissipation += domain.viscosity * area * q[i] * q[i] / domain.wall_grid.size(0);
            if (bottom != nullptr) at_wall(*bottom, c, q[i], domain.wall_grid.size(row));
            if (top != nullptr) at_wall(*top, c, q[i], domain.wall_grid.size(row));
        }
    });
    return {dissipation, walls};
}

/// Means of the velocity along axis 1 over planes parallel to the walls, for all rows of the grid.
std::vector<double> layer_means(const Flow& flow) {
    const Domain& domain = flow.domain;
    const Index3 n = domain.owned();
    std::vector<double> means(static_cast<std::size_t>(domain.points(1)), 0.0);
    for (Index k = 0; k < n[2]; ++k) {
        for (Index j = 0; j < n[1]; ++j) {
            const double* row = flow.velocity[0].row(j, k);
            double& mean = means[static_cast<std::size_t>(domain.first(1) + j)];
            for (Index i = 0; i < n[0]; ++i) mean += row[i] / static_cast<double>(domain.points(0) * domain.points(2));
        }
    }
    sum_over_ranks(means, domain);
    return means;
}

/// Kinetic energy of the rank's velocities, and of their deviations from the means.
std::array<double, 2> energies(const Flow& flow) {
    const std::vector<double> means = layer_means(flow);
    const Domain& domain = flow.domain;
    std::array<double, 2> sums{};
    each_velocity_row(domain, [&](std::size_t c, Index j, Index k) {
        const double* q = flow.velocity[c].row(j, k);
        const double mean = c == 0 ? means[static_cast<std::size_t>(domain.first(1) + j)] : 0;
        const double half = domain.volume(c, j) / 2;
        for (Index i = 0; i < domain.owned()[0]; ++i) {
            sums[0] += half * q[i] * q[i];
            sums[1] += half * (q[i] - mean) * (q[i] - mean);
        }
    });
    return sums;
}

/// Momentum that this rank's part of a wall absorbs per unit of time.
double shear_force(const Flow& flow, Side side) {
    const Domain& domain = flow.domain;
    const bool bottom = side == Side::low;
    const Wall& wall = bottom ? domain.bottom : domain.top;
    if (wall.slip || !(bottom ? domain.at_bottom() : domain.at_top())) return 0;
    const Index3 n = domain.owned();
    const Index j = bottom ? 0 : n[1] - 1;
    const double half = domain.wall_grid.size(domain.first(1) + j) / 2;
    double sum = 0;
    for (Index k = 0; k < n[2]; ++k) {
        const double* u = flow.velocity[0].row(j, k);
        for (Index i = 0; i < n[0]; ++i) sum += domain.viscosity * (u[i] - wall.velocity) / half;
    }
    return sum * domain.spacing(0) * domain.spacing(2);
}

double walls_give(const Flow& flow) { return -(shear_force(flow, Side::low) + shear_force(flow, Side::high)); }

/// Keeps eight independent maxima, since each comparison waits for the preceding maximum.
WAYWISER_CLONES double greatest_of(const double* values, Index count) {
    std::array<double, 8> lanes{};
    Index i = 0;
    for (; i + 8 <= count; i += 8) {
#pragma omp simd
        for (std::size_t l = 0; l < 8; ++l) lanes[l] = greater(lanes[l], values[i + static_cast<Index>(l)]);
    }
    for (; i < count; ++i) lanes[0] = greater(lanes[0], values[i]);
    double greatest = 0;
    for (const double lane : lanes) greatest = greater(greatest, lane);
    return greatest;
}

double relative(double rest, double scale) { return scale > 0 ? std::abs(rest) / scale : std::abs(rest); }

}  // namespace

double EnergyBudget::worst_residual() const {
    return greater(greater(greater(0, convection_residual), pressure_residual), viscosity_residual);
}

EnergyBudget energy_budget(const Flow& flow, double force) {
    const Domain& domain = flow.domain;
    const Power convection = power_of(flow, convection_alone);
    const Power pressure = power_of(flow, pressure_alone);
    const Power viscosity = power_of(flow, viscosity_alone);
    const auto [dissipation, walls] = viscous_powers(flow);
    const auto [kinetic, perturbation] = energies(flow);
    double flux = 0;
    each_velocity_row(domain, [&](std::size_t c, Index j, Index k) {
        if (c != 0) return;
        const double* u = flow.velocity[0].row(j, k);
        for (Index i = 0; i < domain.owned()[0]; ++i) flux += domain.volume(0, j) * u[i];
    });
    const Surface ends = domain.open ? surface_of(flow) : Surface{};
    std::array<double, 14> sums{convection.sum, convection.absolute, pressure.sum, pressure.absolute,
                                viscosity.sum,  viscosity.absolute,  dissipation,  walls,
                                kinetic,        perturbation,        flux,         ends.convection,
                                ends.pressure,  ends.viscosity};
    sum_over_ranks(sums, domain);
    const double powers = sums[1] + sums[3] + sums[5];
    return {.kinetic_energy = sums[8] / volume_of(domain),
            .perturbation_energy = sums[9] / volume_of(domain),
            .dissipation = sums[6],
            .wall_power = sums[7],
            .force_power = force * sums[10],
            .end_power = sums[11] + sums[12] + sums[13],
            .convection_residual = relative(sums[0] - sums[11], powers),
            .pressure_residual = relative(sums[2] - sums[12], powers),
            .viscosity_residual = relative(sums[4] - (sums[7] + sums[13] - sums[6]), powers)};
}

double momentum_imbalance(const Flow& flow) {
    const auto along_flow = [](std::size_t c, double) { return c == 0 ? 1 : 0; };
    const Power convection = sum_of(flow, convection_alone, along_flow);
    const Power pressure = sum_of(flow, pressure_alone, along_flow);
    const Power viscosity = sum_of(flow, viscosity_alone, along_flow);
    std::array<double, 3> sums{convection.sum + pressure.sum + viscosity.sum,
                               convection.absolute + pressure.absolute + viscosity.absolute, surface_of(flow).force};
    sum_over_ranks(sums, flow.domain);
    return relative(sums[0] - sums[2], sums[1]);
}

MomentumBudget::MomentumBudget(const Flow& flow, const Momentum& momentum)
    : start_(momentum.bulk_velocity(flow)), walls_before_(walls_give(flow)) {}

void MomentumBudget::add_pass(const Flow& flow, double force, double interval) {
    const double now = walls_give(flow);
    walls_ += interval * (walls_before_ + now) / 2;
    walls_before_ = now;
    force_ += interval * force;
}

double MomentumBudget::residual(const Flow& flow, const Momentum& momentum) const {
    std::array<double, 1> walls{walls_};
    sum_over_ranks(walls, flow.domain);
    return momentum.bulk_velocity(flow) - start_ - force_ - walls[0] / volume_of(flow.domain);
}

double wall_shear(const Flow& flow, Side side) {
    std::array<double, 1> sum{shear_force(flow, side)};
    sum_over_ranks(sum, flow.domain);
    return sum[0] / (flow.domain.lengths[0] * flow.domain.lengths[2]);
}

double greatest_divergence(Flow& flow) {
    const Domain& domain = flow.domain;
    const Index3 n = domain.owned();
    const Divergence divergence(flow);
    double greatest = 0;
#pragma omp parallel for schedule(static) reduction(max : greatest)
    for (Index k = 0; k < n[2]; ++k) {
        for (Index j = 0; j < n[1]; ++j) {
            double* const row = flow.correction.row(j, k);  // The correction is unused between steps.
            divergence.row(j, k, row);
            const double unit = divergence.per_dx + divergence.per_dz + 1 / domain.wall_grid.size(domain.first(1) + j);
            greatest = greater(greatest, greatest_of(row, n[0]) / unit);
        }
    }
    return greatest;
}

}  // namespace waywiser::tbl
