#include "workloads/tbl/layer.hpp"

namespace waywiser::tbl {

Layer layer_of(const Flow& flow) {
    const Domain& domain = flow.domain;
    const Index3 n = domain.owned();
    const auto points = static_cast<std::size_t>(n[0]);
    std::vector<double> sums(3 * points, 0.0);  // of all three by x, so that ranks add them in one call
    const double share = 1 / static_cast<double>(domain.points(2));
    for (Index k = 0; k < n[2]; ++k) {
        for (Index j = 0; j < n[1]; ++j) {
            const Index row = domain.first(1) + j;
            const double size = domain.wall_grid.size(row);
            const double* const u = flow.velocity[0].row(j, k);
            for (std::size_t i = 0; i < points; ++i) {
                sums[i] += share * size * (1 - u[i]);
                sums[points + i] += share * size * u[i] * (1 - u[i]);
                if (row == 0) sums[2 * points + i] += share * 2 * domain.viscosity * u[i] / (size / 2);
            }
        }
    }
    MPI_Allreduce(MPI_IN_PLACE, sums.data(), static_cast<int>(sums.size()), MPI_DOUBLE, MPI_SUM, domain.communicator);
    const auto part = [&](std::size_t number) {
        const auto begin = sums.begin() + static_cast<std::ptrdiff_t>(number * points);
        return std::vector<double>(begin, begin + n[0]);
    };
    Layer layer{.x = {}, .displacement = part(0), .momentum = part(1), .friction = part(2)};
    for (Index i = 0; i < n[0]; ++i) layer.x.push_back(domain.spacing(0) * static_cast<double>(i + 1));
    return layer;
}

}  // namespace waywiser::tbl
