/// Shared parts of the forms of conjugate gradients: beginning, sums over the ranks, end.
#pragma once

#include "workloads/minife/cg.hpp"
#include "workloads/minife/kernels.hpp"

#include <mpi.h>

#include <cmath>

namespace waywiser::minife {

/// Bytes of `values` numbers per row and pass, in precision Real.
template <typename Real>
[[nodiscard]] constexpr Index vector_bytes(Index rows, Index values) {
    return Index{sizeof(Real)} * values * rows;
}

/// One product with its result written: matrix, x, and y twice for the write-allocate.
template <typename Real>
[[nodiscard]] Work product_work(const Product<Real>& a) {
    const Layout& layout = a.layout();
    const Index values = a.rows().matrix_bytes() + vector_bytes<Real>(layout.reach.volume(), 1);
    return {values + vector_bytes<Real>(layout.rows(), 2), a.rows().product_flops()};
}

/// Computes r = b; b has no halo.
inline void scatter(const Array<double>& b, const Shares& segments, Field<double>& r) {
    segments.for_each([&](const Segment& s) { std::copy_n(b.data() + s.row, s.length, r.data() + s.position); });
}

/// Sums a number over all ranks; the time counts as that of a dot product.
inline double sum_over_ranks(double local, CgAccounts& accounts, MPI_Comm comm) {
    Stopwatch watch;
    double global = 0;
    MPI_Allreduce(&local, &global, 1, MPI_DOUBLE, MPI_SUM, comm);
    const double seconds = watch.lap_s();
    accounts.allreduce.add(seconds, {8, 0});
    accounts.dot.add(seconds, {});
    return global;
}

/// The scalar product x.y of the owned nodes of this rank.
template <typename Real>
[[nodiscard]] double dot(const Shares& runs, const Field<Real>& x, const Field<Real>& y) {
    return runs.sum(
        [&](const Segment& run) { return dot(run.length, x.data() + run.position, y.data() + run.position); });
}

/// Computes r = b - A x, timed as a product.
inline void compute_residual(Product<double>& a, const Array<double>& b, Field<double>& x, Field<double>& r,
                             CgAccounts& accounts) {
    Stopwatch watch;
    a.sweep(x.data(), [&](const Segment& s) {
        double* line = r.data() + s.position;
        a.rows().multiply(s, x.data(), line);
        for (Index i = 0; i < s.length; ++i) line[i] = b[s.row + i] - line[i];
    });
    const Index rows = a.layout().rows();
    Work work = product_work(a);
    work.bytes += vector_bytes<double>(rows, 1);
    work.flops += rows;
    accounts.matvec.add(watch.lap_s(), work);
}

/// Completes the result of a solve.
inline void finish(CgResult& result, const CgStop& stop, double exchange_s, Work exchanges, double total_s) {
    CgAccounts& accounts = result.accounts;
    result.converged = result.residual_norm <= stop.tolerance;
    accounts.exchange.add(exchange_s, exchanges);
    for (const Account* part : {&accounts.matvec, &accounts.dot, &accounts.update, &accounts.preconditioner}) {
        accounts.total.bytes += part->bytes;
        accounts.total.flops += part->flops;
    }
    accounts.total.seconds = total_s;
}

}  // namespace waywiser::minife
