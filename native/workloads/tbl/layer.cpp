#include "workloads/tbl/layer.hpp"

namespace waywiser::tbl {

Layer layer_of(const Flow& flow) {
    const Domain& domain = flow.domain;
    const Index3 n = domain.owned();
    const auto points = static_cast<std::size_t>(n[0]);
    std::vector<double> sums(4 * points, 0.0);  // The four sums share a vector, so that ranks add them in one call.
    double* const flux = sums.data();
    double* const square = flux + n[0];
    double* const friction = square + n[0];
    double* const edge = friction + n[0];
    for (Index k = 0; k < n[2]; ++k) {
        for (Index j = 0; j < n[1]; ++j) {
            const Index row = domain.first(1) + j;
            const double size = domain.wall_grid.size(row);
            const double* const u = flow.velocity[0].row(j, k);
            for (Index i = 0; i < n[0]; ++i) {
                flux[i] += size * u[i];
                square[i] += size * u[i] * u[i];
                if (row == 0) friction[i] += 2 * domain.viscosity * u[i] / (size / 2);
                if (row + 1 == domain.points(1)) edge[i] += u[i];
            }
        }
    }
    MPI_Allreduce(MPI_IN_PLACE, sums.data(), static_cast<int>(sums.size()), MPI_DOUBLE, MPI_SUM, domain.communicator);
    Layer layer;
    const auto share = 1 / static_cast<double>(domain.points(2));
    for (Index i = 0; i < n[0]; ++i) {
        const double carried = flux[i] / edge[i];
        layer.x.push_back(domain.spacing(0) * static_cast<double>(i + 1));
        layer.displacement.push_back(domain.lengths[1] - carried);
        layer.momentum.push_back(carried - square[i] / (edge[i] * edge[i]) / share);
        layer.friction.push_back(share * friction[i]);
    }
    return layer;
}

}  // namespace waywiser::tbl
