#include "workloads/tbl/statistics.hpp"

#include "workloads/common/clones.hpp"
#include "workloads/common/greatest.hpp"

#include <algorithm>
#include <cmath>

namespace waywiser::tbl {
namespace {

/// Adds a row's sums of u, w, uu, vv, ww and of the flux uv through the row's upper face. The flux is that of the
/// convective term, so that viscous and Reynolds stress balance the force in the discrete equations as well.
WAYWISER_CLONES void add_moments(const double* u, const double* u_above, const double* v, const double* w, Index points,
                                 double* sums) {
    double of_u = 0, of_w = 0, of_uu = 0, of_vv = 0, of_ww = 0, of_uv = 0;
#pragma omp simd reduction(+ : of_u, of_w, of_uu, of_vv, of_ww, of_uv)
    for (Index i = 0; i < points; ++i) {
        of_u += u[i];
        of_w += w[i];
        of_uu += u[i] * u[i];
        of_vv += v[i] * v[i];
        of_ww += w[i] * w[i];
        of_uv += (v[i] + v[i + 1]) * (u[i] + u_above[i]) / 4;
    }
    const std::array<double, 6> all{of_u, of_w, of_uu, of_vv, of_ww, of_uv};
    for (std::size_t m = 0; m < all.size(); ++m) sums[m] += all[m];
}

}  // namespace

Statistics::Statistics(const Domain& domain) : domain_(domain), sums_(static_cast<std::size_t>(domain.points(1))) {}

void Statistics::add(const Flow& flow) {
    const Index3 n = domain_.owned();
    const auto& velocity = flow.velocity;
#pragma omp parallel for schedule(static)
    for (Index j = 0; j < n[1]; ++j) {
        double* const sums = sums_[static_cast<std::size_t>(domain_.first(1) + j)].data();
        for (Index k = 0; k < n[2]; ++k) {
            add_moments(velocity[0].row(j, k), velocity[0].row(j + 1, k), velocity[1].row(j, k), velocity[2].row(j, k),
                        n[0], sums);
        }
    }
    ++steps_;
}

Profiles Statistics::profiles() const {
    std::vector<std::array<double, moments>> means = sums_;
    MPI_Allreduce(MPI_IN_PLACE, means.front().data(), static_cast<int>(moments * means.size()), MPI_DOUBLE, MPI_SUM,
                  domain_.communicator);
    const double all = static_cast<double>(steps_ * domain_.points(0) * domain_.points(2));
    const WallGrid& grid = domain_.wall_grid;
    Profiles result;
    result.steps = steps_;
    for (Index row = 0; row < domain_.points(1); ++row) {
        std::array<double, moments>& mean = means[static_cast<std::size_t>(row)];
        for (double& moment : mean) moment /= all;
        result.y_centre.push_back(grid.centre(row));
        result.y_face.push_back(grid.face(row + 1));
        result.u.push_back(mean[u]);
        result.uu.push_back(mean[uu] - mean[u] * mean[u]);
        result.ww.push_back(mean[ww] - mean[w] * mean[w]);
        result.vv.push_back(mean[vv]);  // no fluid passes a wall, so that the mean of v is 0
        result.uv.push_back(mean[uv]);
        result.bulk_velocity += mean[u] * grid.size(row) / domain_.lengths[1];
    }
    const double first = result.u.front();
    const double last = result.u.back();
    result.stress_bottom = domain_.viscosity * (first - domain_.bottom.beyond(first, 0)) / grid.gap(-1);
    for (Index row = 0; row < domain_.points(1); ++row) {
        const auto j = static_cast<std::size_t>(row);
        const double above = j + 1 < result.u.size() ? result.u[j + 1] : domain_.top.beyond(last, 0);
        result.stress.push_back(domain_.viscosity * (above - result.u[j]) / grid.gap(row) - result.uv[j]);
    }
    return result;
}

double Profiles::friction_velocity(const Domain& domain) const {
    const int walls = (domain.bottom.slip ? 0 : 1) + (domain.top.slip ? 0 : 1);
    return walls == 0 ? 0 : std::sqrt((std::abs(stress_bottom) + std::abs(stress.back())) / walls);
}

double Profiles::stress_residual(const Domain& domain) const {
    const double scale = std::max(std::abs(stress_bottom), std::abs(stress.back()));
    double greatest = 0;
    for (std::size_t j = 0; j < stress.size(); ++j) {
        const double fraction = y_face[j] / domain.lengths[1];
        greatest = greater(greatest, stress[j] - (1 - fraction) * stress_bottom - fraction * stress.back());
    }
    return scale > 0 ? greatest / scale : greatest;
}

}  // namespace waywiser::tbl
