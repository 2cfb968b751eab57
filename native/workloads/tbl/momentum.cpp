#include "workloads/tbl/momentum.hpp"

#include "workloads/common/clones.hpp"
#include "workloads/common/threads.hpp"

#include <algorithm>

namespace waywiser::tbl {
namespace {

constexpr Index lanes = Factored::lanes;

/// The matrix 1 - dt / 2 times the viscous difference on a periodic axis.
Factored periodic(const Domain& domain, std::size_t axis) {
    const double side = domain.dt / 2 * domain.viscosity / (domain.spacing(axis) * domain.spacing(axis));
    const Index points = domain.points(axis);
    const std::vector<double> sides(static_cast<std::size_t>(points), -side);
    return {{sides, std::vector<double>(static_cast<std::size_t>(points), 1 + 2 * side), sides}, true};
}

/// The matrix 1 - dt / 2 times the viscous difference between inflow and outflow. Changes are zero at the inflow; those
/// of u are also zero at the outflow, those of v and w behind the outflow.
Factored between_ends(const Domain& domain, std::size_t component) {
    const double side = domain.dt / 2 * domain.viscosity / (domain.spacing(0) * domain.spacing(0));
    const auto points = static_cast<std::size_t>(domain.points(0));
    Tridiagonal matrix{std::vector<double>(points, -side), std::vector<double>(points, 1 + 2 * side),
                       std::vector<double>(points, -side)};
    if (component == 0) {
        matrix.lower.back() = 0;
        matrix.diagonal.back() = 1;
    } else {
        matrix.diagonal.front() += side;
    }
    return {std::move(matrix), false};
}

Factored along_flow(const Domain& domain, std::size_t component) {
    return domain.open ? between_ends(domain, component) : periodic(domain, 0);
}

/// The matrix 1 - interval / 2 times the viscous difference between the walls. A change is zero on a no-slip wall, so
/// that its ghost value has the opposite sign.
Tridiagonal between_walls(const Domain& domain, std::size_t component, double interval) {
    const Index cells = domain.points(1);
    const Index last = component == 1 ? cells - 2 : cells - 1;
    Tridiagonal matrix;
    for (Index row = 0; row <= last; ++row) {
        const Terms terms = terms_of(domain, component, row);
        const double low = interval / 2 * terms.low[1];
        const double high = interval / 2 * terms.high[1];
        double diagonal = 1 + low + high;
        if (component != 1 && row == 0) diagonal += domain.bottom.slip ? -low : low;
        if (component != 1 && row == last) diagonal += domain.top.slip ? -high : high;
        matrix.lower.push_back(-low);
        matrix.diagonal.push_back(diagonal);
        matrix.upper.push_back(-high);
    }
    if (component == 1) {  // Values on the top wall do not change.
        matrix.lower.push_back(0);
        matrix.diagonal.push_back(1);
        matrix.upper.push_back(0);
    }
    return matrix;
}

WAYWISER_CLONES void rows_to_lanes(const double* rows, Index points, double* values) {
    for (Index i = 0; i < points; ++i) {
        for (Index l = 0; l < lanes; ++l) values[i * lanes + l] = rows[l * points + i];
    }
}

WAYWISER_CLONES void lanes_to_rows(const double* values, Index points, Index count, double* rows) {
    for (Index l = 0; l < count; ++l) {
        for (Index i = 0; i < points; ++i) rows[l * points + i] = values[i * lanes + l];
    }
}

WAYWISER_CLONES void add_row(const double* change, Index points, double* row) {
#pragma omp simd
    for (Index i = 0; i < points; ++i) row[i] += change[i];
}

/// Runge-Kutta passes are implicit only between the walls, so that their pencils stay within the rank's planes.
Pencils pencils_of(const Domain& domain, const Teams& teams) {
    Index3 points = domain.cartesian.points();
    if (domain.scheme == Scheme::cn_ab) {
        return {teams.along(1), teams.along(2), points, 1, !domain.shares_lines()};
    }
    points[2] = domain.owned()[2];
    return {teams.along(1), Team{}, points, 1, !domain.shares_lines()};
}

}  // namespace

Momentum::Momentum(const Domain& domain, const Teams& teams, const Drive& drive)
    : domain_(domain),
      owned_(domain.owned()),
      drive_(drive),
      pencils_(pencils_of(domain, teams)),
      along_axis_1_{{along_flow(domain, 0), along_flow(domain, 1)}},
      along_axis_3_(periodic(domain, 2)) {
    for (Index j = 0; j < owned_[1]; ++j) {
        const Index row = domain.first(1) + j;
        std::array<Terms, 3> terms{terms_of(domain, 0, row), {}, terms_of(domain, 2, row)};
        if (row + 1 < domain.points(1)) terms[1] = terms_of(domain, 1, row);
        if (!drive.bulk_velocity) terms[0].force = drive.force;
        terms_.push_back(terms);
    }
    for (const Pass& pass : passes(domain.scheme)) {
        along_axis_2_.push_back(wall_lines(pass.interval * domain.dt, teams.along(1)));
    }
    const auto values = static_cast<std::size_t>(owned_[0] * owned_[1] * owned_[2]);
    for (std::size_t c = 0; c < 3; ++c) {
        taken_[c] = Array<double>(values);
        change_[c] = Array<double>(values);
        std::fill_n(taken_[c].data(), values, 0.0);
    }
    const auto block_values = static_cast<std::size_t>(2 * lanes * owned_[0]);
    for (int thread = 0; thread < thread_limit(); ++thread) {
        std::fill_n(scratch_.emplace_back(block_values).data(), block_values, 0.0);
    }
}

Momentum::WallLines Momentum::wall_lines(double interval, const Team& team) const {
    const std::array<Tridiagonal, 2> matrices{between_walls(domain_, 0, interval), between_walls(domain_, 1, interval)};
    WallLines lines{.whole = {{{matrices[0], false}, {matrices[1], false}}},
                    .shared = {},
                    .response = std::vector<double>(static_cast<std::size_t>(domain_.points(1)), 1.0),
                    .mean_response = 0};
    for (std::size_t m = 0; domain_.shares_lines() && m < matrices.size(); ++m) {
        const auto diagonal = [&](Index row, Index, Index) {
            return matrices[m].diagonal[static_cast<std::size_t>(row)];
        };
        lines.shared.emplace_back(team, pencils_.extents(2),
                                  Partitioned::Lines{matrices[m].lower, matrices[m].upper, diagonal, true});
    }
    lines.whole[0].solve(lines.response.data(), 1, 1);
    for (Index row = 0; row < domain_.points(1); ++row) {
        lines.mean_response +=
            lines.response[static_cast<std::size_t>(row)] * domain_.wall_grid.size(row) / domain_.lengths[1];
    }
    return lines;
}

void Momentum::advance(Flow& flow, std::size_t pass) {
    for (std::size_t c = 0; c < 3; ++c) changes(flow, c, weights(pass));
    started_ = true;
    for (std::size_t c = 0; c < 3; ++c) {
        solve_along_axes_3_and_2(c, pass);
        each_row(owned_, [&](Index j, Index k) {
            add_row(change_[c].data() + offset(j, k), owned_[0], flow.velocity[c].row(j, k));
        });
    }
    if (drive_.bulk_velocity) keep_bulk_velocity(flow, *drive_.bulk_velocity, pass);
}

Weights Momentum::weights(std::size_t pass) const {
    const Pass& of = passes(domain_.scheme)[pass];
    const double interval = of.interval * domain_.dt;
    // The first pass has no preceding terms, so that the current terms have both weights.
    if (!started_) return {interval, (of.now + of.before) / of.interval, 0, domain_.scheme};
    return {interval, of.now / of.interval, of.before / of.interval, domain_.scheme};
}

void Momentum::changes(const Flow& flow, std::size_t component, const Weights& weights) {
    if (!implicit_on_all_axes()) {
        each_row(owned_, [&](Index j, Index k) {
            change_row(flow, component, j, k, weights, change_[component].data() + offset(j, k));
        });
        return;
    }
#pragma omp parallel for schedule(static)
    for (Index k = 0; k < owned_[2]; ++k) {
        for (Index j = 0; j < owned_[1]; j += lanes) block(flow, component, j, k, weights);
    }
}

void Momentum::change_row(const Flow& flow, std::size_t component, Index j, Index k, const Weights& weights,
                          double* change) {
    const bool on_wall = component == 1 && domain_.at_top() && j + 1 == owned_[1];
    const Index unknowns = on_wall ? 0 : domain_.unknowns(component);
    momentum_row(place_of(flow, component, j, k), terms_[static_cast<std::size_t>(j)][component], weights, unknowns,
                 taken_[component].data() + offset(j, k), change);
    std::fill(change + unknowns, change + owned_[0], 0.0);
}

void Momentum::block(const Flow& flow, std::size_t component, Index first_row, Index k, const Weights& weights) {
    const Index count = std::min(lanes, owned_[1] - first_row);
    double* const rows = scratch_[static_cast<std::size_t>(thread_number())].data();
    double* const values = rows + lanes * owned_[0];
    for (Index l = 0; l < count; ++l) change_row(flow, component, first_row + l, k, weights, rows + l * owned_[0]);
    rows_to_lanes(rows, owned_[0], values);
    along_axis_1_[component == 0 ? 0 : 1].solve_lanes(values);
    lanes_to_rows(values, owned_[0], count, change_[component].data() + offset(first_row, k));
}

void Momentum::solve_along_axes_3_and_2(std::size_t component, std::size_t pass) {
    double* const with_axis_1 = change_[component].data();
    double* const with_axis_3 = pencils_.to_axis_3(with_axis_1);
    const Index3& in_3 = pencils_.extents(2);
#pragma omp parallel for schedule(static)
    for (Index j = 0; j < (implicit_on_all_axes() ? in_3[1] : 0); ++j) {
        along_axis_3_.solve(with_axis_3 + j * in_3[0], in_3[0] * in_3[1], in_3[0]);
    }
    solve_along_axis_2(along_axis_2_[pass], component == 1 ? 1 : 0, with_axis_3);
    pencils_.back_to_axis_1(with_axis_3, with_axis_1);
}

void Momentum::solve_along_axis_2(WallLines& lines, std::size_t matrix, double* with_axis_3) {
    if (domain_.shares_lines()) return lines.shared[matrix].solve(with_axis_3);
    double* const with_axis_2 = pencils_.to_axis_2(with_axis_3);
    const Index3& in_2 = pencils_.extents(1);
#pragma omp parallel for schedule(static)
    for (Index k = 0; k < in_2[2]; ++k) {
        lines.whole[matrix].solve(with_axis_2 + k * in_2[0] * in_2[1], in_2[0], in_2[0]);
    }
    pencils_.back_to_axis_3(with_axis_2, with_axis_3);
}

double Momentum::bulk_velocity(const Flow& flow) const {
    double sum = 0;
#pragma omp parallel for schedule(static) reduction(+ : sum)
    for (Index k = 0; k < owned_[2]; ++k) {
        for (Index j = 0; j < owned_[1]; ++j) {
            const double* row = flow.velocity[0].row(j, k);
            double of_row = 0;
            for (Index i = 0; i < owned_[0]; ++i) of_row += row[i];
            sum += of_row * domain_.volume(0, j);
        }
    }
    MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_DOUBLE, MPI_SUM, domain_.communicator);
    return sum / (domain_.lengths[0] * domain_.lengths[1] * domain_.lengths[2]);
}

void Momentum::keep_bulk_velocity(Flow& flow, double target, std::size_t pass) {
    const WallLines& lines = along_axis_2_[pass];
    const double impulse = (target - bulk_velocity(flow)) / lines.mean_response;
    drive_.force = impulse / (passes(domain_.scheme)[pass].interval * domain_.dt);
    each_row(owned_, [&](Index j, Index k) {
        double* row = flow.velocity[0].row(j, k);
        const double change = impulse * lines.response[static_cast<std::size_t>(domain_.first(1) + j)];
        for (Index i = 0; i < owned_[0]; ++i) row[i] += change;
    });
}

}  // namespace waywiser::tbl
