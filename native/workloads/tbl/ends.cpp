#include "workloads/tbl/ends.hpp"

namespace waywiser::tbl {

Ends::Ends(Flow& flow) { balance(flow); }

void Ends::advance(Flow& flow, double interval) {
    // advection distance of an interval, in cells
    const double cells = interval * speed_ / flow.domain.spacing(0);
    for (std::size_t c = 0; c < 3; ++c) {
        const Index last = flow.domain.unknowns(c);
        each_row(flow.domain.owned(), [&](Index j, Index k) {
            double* const row = flow.velocity[c].row(j, k);
            row[last] = (row[last] + cells * row[last - 1]) / (1 + cells);
        });
    }
    balance(flow);
}

void Ends::balance(Flow& flow) {
    const Domain& domain = flow.domain;
    const Index3 n = domain.owned();
    const Index last = domain.unknowns(0);
    std::array<double, 2> fluxes{};  // inflow minus the flux through the top; flux through the outflow
    for (Index k = 0; k < n[2]; ++k) {
        for (Index j = 0; j < n[1]; ++j) {
            const double area = domain.wall_grid.size(domain.first(1) + j) * domain.spacing(2);
            fluxes[0] += area * flow.inflow.at(0, j, k);
            fluxes[1] += area * flow.velocity[0].at(last, j, k);
        }
        const double* const top = flow.velocity[1].row(n[1] - 1, k);
        const double area = domain.at_top() ? domain.spacing(0) * domain.spacing(2) : 0;
        for (Index i = 0; i < n[0]; ++i) fluxes[0] -= area * top[i];
    }
    MPI_Allreduce(MPI_IN_PLACE, fluxes.data(), 2, MPI_DOUBLE, MPI_SUM, domain.communicator);
    speed_ = fluxes[0] / (domain.lengths[1] * domain.lengths[2]);
    const double factor = fluxes[0] / fluxes[1];
    each_row(n, [&](Index j, Index k) { flow.velocity[0].at(last, j, k) *= factor; });
}

}  // namespace waywiser::tbl
