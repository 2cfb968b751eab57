#include "workloads/minife/fused.hpp"

namespace waywiser::minife {
namespace {

/// Computes x += y and y = 0.
void take_over(const Shares& runs, Field<float>& from, Field<double>& to) {
    runs.for_each([&](const Segment& run) {
        float* y = from.data() + run.position;
        double* x = to.data() + run.position;
        for (Index i = 0; i < run.length; ++i) x[i] += static_cast<double>(y[i]);
        std::fill_n(y, run.length, 0.0F);
    });
}

void round_to(const Shares& runs, const Field<double>& from, Field<float>& to) {
    runs.for_each([&](const Segment& run) {
        const double* x = from.data() + run.position;
        float* y = to.data() + run.position;
        for (Index i = 0; i < run.length; ++i) y[i] = static_cast<float>(x[i]);
    });
}

}  // namespace

CgResult solve_fused(Product<double>& a, const Array<double>& b, const CgStop& stop, MPI_Comm comm) {
    CgResult result(a.layout());
    FusedCg<double> cg(a, comm, result.accounts);
    MPI_Barrier(comm);
    Stopwatch whole;
    scatter(b, a.segments(), cg.r());
    cg.replaced();
    result.initial_norm = cg.residual_norm();
    while (!result.broke_down && !stop.at(result.iterations, cg.residual_norm())) {
        result.broke_down = !cg.step();
        if (!result.broke_down) ++result.iterations;
    }
    result.residual_norm = cg.residual_norm();
    finish(result, stop, a.exchange_s(), cg.exchanges(), whole.lap_s());
    result.solution = std::move(cg.x());
    result.residual = std::move(cg.r());
    return result;
}

CgResult solve_mixed(Product<double>& a, Product<float>& inner, const Array<double>& b, const CgStop& stop,
                     MPI_Comm comm) {
    constexpr double worth_replacing = 0.1;  // See Clark et al., section 3.
    CgResult result(a.layout());
    FusedCg<float> cg(inner, comm, result.accounts);
    const Shares& runs = a.runs();
    const Index rows = a.layout().rows();
    MPI_Barrier(comm);
    Stopwatch whole;
    Index products = 0;
    for (bool first = true;; first = false) {
        compute_residual(a, b, result.solution, result.residual, result.accounts);
        ++products;
        Stopwatch watch;
        const double local = dot(runs, result.residual, result.residual);
        round_to(runs, result.residual, cg.r());
        result.accounts.update.add(watch.lap_s(),
                                   {vector_bytes<double>(rows, 1) + vector_bytes<float>(rows, 2), 2 * rows});
        result.residual_norm = std::sqrt(sum_over_ranks(local, result.accounts, comm));
        if (first) result.initial_norm = result.residual_norm;
        if (result.broke_down || stop.at(result.iterations, result.residual_norm)) break;

        cg.replaced();
        const double enough = std::max(worth_replacing * result.residual_norm, 0.5 * stop.tolerance);
        do {
            result.broke_down = !cg.step();
            if (!result.broke_down) ++result.iterations;
        } while (!result.broke_down && cg.residual_norm() > enough && result.iterations < stop.iteration_limit);
        watch.lap_s();
        take_over(runs, cg.x(), result.solution);
        result.accounts.update.add(watch.lap_s(), {vector_bytes<double>(rows, 2) + vector_bytes<float>(rows, 2), rows});
    }
    Work exchanges = cg.exchanges();
    exchanges.bytes += products * a.halo().bytes();
    finish(result, stop, a.exchange_s() + inner.exchange_s(), exchanges, whole.lap_s());
    return result;
}

}  // namespace waywiser::minife
