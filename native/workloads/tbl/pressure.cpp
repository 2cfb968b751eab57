#include "workloads/tbl/pressure.hpp"

#include "workloads/common/clones.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

namespace waywiser::tbl {
namespace {

/// Eigenvalue of the second difference for the wave with `waves` periods on the axis.
double eigenvalue(double waves, Index points, double spacing) {
    const double angle = 2 * std::numbers::pi * waves / static_cast<double>(points);
    return -(2 - 2 * std::cos(angle)) / (spacing * spacing);
}

Index3 spectrum_points(const Domain& domain) { return {domain.shape().waves(), domain.points(1), domain.points(2)}; }

template <Index values>
[[gnu::always_inline]] inline void eliminate(double* row, const double* before, const double* inverse, double lower,
                                             Index waves) {
#pragma omp simd
    for (Index i = 0; i < waves; ++i) {
        const Index v = values * i;
        row[v] = (row[v] - lower * before[v]) * inverse[i];
        if constexpr (values == 2) row[v + 1] = (row[v + 1] - lower * before[v + 1]) * inverse[i];
    }
}

template <Index values>
[[gnu::always_inline]] inline void substitute(double* row, const double* behind, const double* inverse, double upper,
                                              Index waves) {
#pragma omp simd
    for (Index i = 0; i < waves; ++i) {
        const double factor = upper * inverse[i];
        const Index v = values * i;
        row[v] -= factor * behind[v];
        if constexpr (values == 2) row[v + 1] -= factor * behind[v + 1];
    }
}

WAYWISER_CLONES void forward_row(double* row, const double* before, const double* inverse, double lower, Index waves,
                                 Index values) {
    values == 2 ? eliminate<2>(row, before, inverse, lower, waves) : eliminate<1>(row, before, inverse, lower, waves);
}

WAYWISER_CLONES void backward_row(double* row, const double* behind, const double* inverse, double upper, Index waves,
                                  Index values) {
    values == 2 ? substitute<2>(row, behind, inverse, upper, waves) : substitute<1>(row, behind, inverse, upper, waves);
}

WAYWISER_CLONES void project_row(const double* correction, const std::array<Index, 3>& strides,
                                 const std::array<double, 3>& factors, Index points,
                                 const std::array<double*, 3>& rows) {
    double* const u = rows[0];
    double* const v = rows[1];
    double* const w = rows[2];
#pragma omp simd
    for (Index i = 0; i < points; ++i) {
        const double* at = correction + i;
        u[i] -= factors[0] * (at[1] - at[0]);
        v[i] -= factors[1] * (at[strides[1]] - at[0]);
        w[i] -= factors[2] * (at[strides[2]] - at[0]);
    }
}

}  // namespace

PressureSolver::PressureSolver(const Domain& domain, const Teams& teams)
    : domain_(domain),
      values_(domain.shape().values_of_wave()),
      pencils_(teams.along(1), teams.along(2), spectrum_points(domain), values_, !domain.shares_lines()),
      spectrum_(static_cast<std::size_t>(pencils_.extents(0)[0] * domain.owned()[1] * domain.owned()[2])),
      rows_forward_(rows(true)),
      rows_backward_(rows(false)),
      lines_forward_(lines(true)),
      lines_backward_(lines(false)) {
    const Index cells = domain.points(1);
    const WallGrid& grid = domain.wall_grid;
    for (Index j = 0; j < cells; ++j) {
        lower_.push_back(j == 0 ? 0 : 1 / (grid.size(j) * grid.gap(j - 1)));
        upper_.push_back(j + 1 == cells ? 0 : 1 / (grid.size(j) * grid.gap(j)));
    }
    if (domain.shares_lines()) {
        share_lines(teams);
    } else {
        factor(teams);
    }
}

Plan PressureSolver::rows(bool forward) const {
    const auto make = domain_.open ? Plan::cosine_rows : Plan::real_rows;
    return make(domain_.points(0), domain_.owned()[1], forward);
}

Plan PressureSolver::lines(bool forward) const {
    const Index3& extents = pencils_.extents(2);
    const auto make = domain_.open ? Plan::real_lines : Plan::complex_lines;
    return make(extents[2], extents[0] / values_ * extents[1], extents[0] / values_, forward);
}

double PressureSolver::eigenvalues(Index first_wave, Index i, Index k) const {
    const auto wave = static_cast<double>(first_wave + i);  // the first cosine is half a period
    return eigenvalue(domain_.open ? wave / 2 : wave, domain_.points(0), domain_.spacing(0)) +
           eigenvalue(static_cast<double>(k), domain_.points(2), domain_.spacing(2));
}

void PressureSolver::share_lines(const Teams& teams) {
    const Team& second = teams.along(2);
    const Index first_wave = domain_.shape().waves() * second.rank / second.ranks;
    const auto diagonal = [&](Index row, Index i, Index k) {
        const double both = eigenvalues(first_wave, i / values_, k);
        const auto at = static_cast<std::size_t>(row);
        // The equations leave the mean pressure free; it is 0 next to the top.
        const bool open = both == 0 && row + 1 == domain_.points(1);
        return open ? std::numeric_limits<double>::infinity() : both - lower_[at] - upper_[at];
    };
    shared_.emplace(teams.along(1), pencils_.extents(2), Partitioned::Lines{lower_, upper_, diagonal, false});
}

void PressureSolver::factor(const Teams& teams) {
    const Index3& extents = pencils_.extents(1);
    const Index waves = extents[0] / values_;
    const Team& second = teams.along(2);
    const Team& first = teams.along(1);
    const Index first_wave = domain_.shape().waves() * second.rank / second.ranks;
    const Index first_plane = domain_.points(2) * first.rank / first.ranks;
    inverse_ = Array<double>(static_cast<std::size_t>(waves * extents[1] * extents[2]));
#pragma omp parallel for schedule(static)
    for (Index k = 0; k < extents[2]; ++k) {
        for (Index i = 0; i < waves; ++i) {
            const double both = eigenvalues(first_wave, i, first_plane + k);
            double before = 0;
            for (Index j = 0; j < extents[1]; ++j) {
                const auto row = static_cast<std::size_t>(j);
                const double pivot = both - lower_[row] - upper_[row] - lower_[row] * before;
                // The equations leave the mean pressure free; it is 0 next to the top.
                const bool open = both == 0 && j + 1 == extents[1];
                double& inverse = inverse_[i + waves * (j + extents[1] * k)];
                inverse = open ? 0 : 1 / pivot;
                before = upper_[row] * inverse;
            }
        }
    }
}

void PressureSolver::solve(Flow& flow, double interval) {
    divergence_spectra(flow, 1 / interval);
    double* const with_axis_3 = pencils_.to_axis_3(spectrum_.data());
    const Index3& extents = pencils_.extents(2);
#pragma omp parallel for schedule(static)
    for (Index j = 0; j < extents[1]; ++j) lines_forward_.run(with_axis_3 + j * extents[0]);
    if (shared_) {
        shared_->solve(with_axis_3);
    } else {
        double* const with_axis_2 = pencils_.to_axis_2(with_axis_3);
        solve_lines(with_axis_2);
        pencils_.back_to_axis_3(with_axis_2, with_axis_3);
    }
#pragma omp parallel for schedule(static)
    for (Index j = 0; j < extents[1]; ++j) lines_backward_.run(with_axis_3 + j * extents[0]);
    pencils_.back_to_axis_1(with_axis_3, spectrum_.data());
    take_correction(flow);
}

void PressureSolver::divergence_spectra(const Flow& flow, double per_interval) {
    const Index3& extents = pencils_.extents(0);
    const Divergence divergence(flow);
#pragma omp parallel for schedule(static)
    for (Index k = 0; k < extents[2]; ++k) {
        double* plane = spectrum_.data() + k * extents[0] * extents[1];
        for (Index j = 0; j < extents[1]; ++j) {
            double* row = plane + j * extents[0];
            divergence.row(j, k, row);
            for (Index i = 0; i < domain_.points(0); ++i) row[i] *= per_interval;
        }
        rows_forward_.run(plane);
    }
}

void PressureSolver::solve_lines(double* spectrum) const {
    const Index3& extents = pencils_.extents(1);
    const Index waves = extents[0] / values_;
#pragma omp parallel for schedule(static)
    for (Index k = 0; k < extents[2]; ++k) {
        double* plane = spectrum + k * extents[0] * extents[1];
        const double* inverse = inverse_.data() + k * waves * extents[1];
        for (Index j = 0; j < extents[1]; ++j) {
            double* row = plane + j * extents[0];
            // The first row's lower coefficient is 0, so that any row may stand in for its lower neighbour.
            forward_row(row, j == 0 ? row : row - extents[0], inverse + j * waves, lower_[static_cast<std::size_t>(j)],
                        waves, values_);
        }
        for (Index j = extents[1] - 2; j >= 0; --j) {
            double* row = plane + j * extents[0];
            backward_row(row, row + extents[0], inverse + j * waves, upper_[static_cast<std::size_t>(j)], waves,
                         values_);
        }
    }
}

void PressureSolver::take_correction(Flow& flow) {
    const Index3& extents = pencils_.extents(0);
    const double scale = 1 / static_cast<double>((domain_.open ? 2 : 1) * domain_.points(0) * domain_.points(2));
#pragma omp parallel for schedule(static)
    for (Index k = 0; k < extents[2]; ++k) {
        double* plane = spectrum_.data() + k * extents[0] * extents[1];
        rows_backward_.run(plane);
        for (Index j = 0; j < extents[1]; ++j) {
            const double* row = plane + j * extents[0];
            double* out = flow.correction.row(j, k);
            for (Index i = 0; i < domain_.points(0); ++i) out[i] = scale * row[i];
        }
    }
}

void project(Flow& flow, double interval) {
    const Domain& domain = flow.domain;
    const Index3 n = domain.owned();
    const Field& correction = flow.correction;
    const std::array<Index, 3> strides{1, correction.stride(1), correction.stride(2)};
    each_row(n, [&](Index j, Index k) {
        const Index row = domain.first(1) + j;
        const bool on_wall = row + 1 == domain.points(1);
        const double across = on_wall ? 0 : interval / domain.wall_grid.gap(row);
        project_row(correction.row(j, k), strides, {interval / domain.spacing(0), across, interval / domain.spacing(2)},
                    n[0], {flow.velocity[0].row(j, k), flow.velocity[1].row(j, k), flow.velocity[2].row(j, k)});
    });
#pragma omp parallel for schedule(static)
    for (Index k = 0; k <= n[2]; ++k) {
        for (Index j = 0; j <= n[1]; ++j) {
            const double* from = correction.row(j, k);
            double* to = flow.pressure.row(j, k);
            for (Index i = 0; i <= n[0]; ++i) to[i] += from[i];
        }
    }
}

}  // namespace waywiser::tbl
